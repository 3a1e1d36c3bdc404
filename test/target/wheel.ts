import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { Wheel } from '../../src/target/tools/release.js';

/** A zip archive with the given entries: the first one stored, the others deflated. */
export function zipOf(entries: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [index, [name, text]] of Object.entries(entries).entries()) {
    const method = index === 0 ? 0 : 8;
    const data = method === 0 ? Buffer.from(text) : deflateRawSync(text);
    const sizes = Buffer.alloc(8);
    sizes.writeUInt32LE(data.length, 0);
    sizes.writeUInt32LE(Buffer.byteLength(text), 4);
    const local = Buffer.concat([numbers([0x0403_4b50, 4], [20, 2], [0, 2], [method, 2], [0, 8]), sizes]);
    const localHead = Buffer.concat([
      local,
      numbers([name.length, 2], [3, 2]),
      Buffer.from(name),
      Buffer.from('pad'),
    ]);
    const head = numbers([0x0201_4b50, 4], [20, 2], [20, 2], [0, 2], [method, 2], [0, 8]);
    const tail = numbers([name.length, 2], [2, 2], [4, 2], [0, 8], [offset, 4]);
    directory.push(Buffer.concat([head, sizes, tail, Buffer.from(`${name}xxnote`)]));
    locals.push(localHead, data);
    offset += localHead.length + data.length;
  }
  const central = Buffer.concat(directory);
  const count = directory.length;
  const end = numbers(
    [0x0605_4b50, 4],
    [0, 4],
    [count, 2],
    [count, 2],
    [central.length, 4],
    [offset, 4],
    [0, 2],
  );
  return Buffer.concat([...locals, central, end]);
}

function numbers(...fields: readonly (readonly [value: number, bytes: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUInt32LE.call(bytes >= 4 ? buffer : Buffer.alloc(4), value, 0);
      if (bytes === 2) buffer.writeUInt16LE(value, 0);
      return buffer;
    }),
  );
}

/** A py-spy that is a shell script. */
export const FAKE_PYSPY = '#!/bin/sh\necho "py-spy 0.4.3"\n';

export function wheelOf(script: string): { bytes: Buffer; wheel: Wheel } {
  const bytes = zipOf({
    'py_spy-0.4.3.dist-info/WHEEL': 'Wheel-Version: 1.0\n',
    'py_spy-0.4.3.data/scripts/py-spy': script,
  });
  return { bytes, wheel: { platform: 'any', sha256: createHash('sha256').update(bytes).digest('hex') } };
}
