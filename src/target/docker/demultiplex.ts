import { PassThrough, type Readable } from 'node:stream';

const HEADER = 8;
const STDERR = 2;

/** The two outputs of a program in a container. Both have to be read: what one does not take, holds up the other. */
export interface Outputs {
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Takes apart the stream that an engine puts both outputs into: frames of 1 byte stream, 3 bytes zero, 4 bytes length (big endian),
 * then the data; see `ContainerAttach` of the Docker Engine API. A source that breaks ends both outputs.
 */
export function demultiplex(source: Readable): Outputs {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const finish = (): void => {
    stdout.end();
    stderr.end();
  };
  const copy = async (): Promise<void> => {
    let pending = Buffer.alloc(0);
    let output = stdout;
    let left = 0;
    for await (const chunk of source) {
      pending = Buffer.concat([pending, chunk as Buffer]);
      while (left > 0 ? pending.length > 0 : pending.length >= HEADER) {
        if (left === 0) {
          output = pending[0] === STDERR ? stderr : stdout;
          left = pending.readUInt32BE(4);
          pending = pending.subarray(HEADER);
          continue;
        }
        const data = pending.subarray(0, left);
        pending = pending.subarray(data.length);
        left -= data.length;
        if (!output.write(data)) await new Promise((resolve) => output.once('drain', resolve));
      }
    }
  };
  void copy().then(finish, finish);
  return { stdout, stderr };
}
