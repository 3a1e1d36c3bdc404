import type Docker from 'dockerode';

const LOG_LINES = 5;

/** The last that a container said on both outputs; nothing where the engine does not tell. */
export function lastLines(
  docker: Docker,
  id: string,
  info: Docker.ContainerInspectInfo | undefined,
): Promise<readonly string[]> {
  return docker
    .getContainer(id)
    .logs({ stdout: true, stderr: true, tail: LOG_LINES })
    .then((bytes) => logLines(bytes, info?.Config.Tty === true))
    .catch(() => []);
}

const HEADER_BYTES = 8;

/** The engine puts a header of 8 bytes in front of every piece: stream, three zeros, length. */
function logLines(bytes: Buffer, plain: boolean): readonly string[] {
  let text = '';
  if (plain) text = bytes.toString('utf8');
  else {
    for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
      const length = bytes.readUInt32BE(at + 4);
      text += bytes.toString('utf8', at + HEADER_BYTES, at + HEADER_BYTES + length);
      at += HEADER_BYTES + length;
    }
  }
  return text.split('\n').filter((line) => line.trim() !== '');
}
