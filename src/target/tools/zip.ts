// ZIP as far as a wheel needs it (PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12, 4.3.16): stored or deflated entries,
// no ZIP64, no encryption.
import { inflateRawSync } from 'node:zlib';

const END = 0x0605_4b50;
const ENTRY = 0x0201_4b50;
const LOCAL = 0x0403_4b50;
const END_BYTES = 22;
const LARGEST_ENTRY = 256 * 1024 * 1024;

/**
 * Content of the first entry whose name satisfies `wanted`; `undefined` when there is none.
 * Throws `RangeError` or an error of zlib for a damaged archive.
 */
export function readZipEntry(zip: Buffer, wanted: (name: string) => boolean): Buffer | undefined {
  let end = zip.length - END_BYTES;
  while (end >= 0 && zip.readUInt32LE(end) !== END) end -= 1;
  if (end < 0) throw new RangeError('no end of central directory');
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new RangeError('broken central directory');
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    if (wanted(name)) return entryContent(zip, at);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return undefined;
}

function entryContent(zip: Buffer, at: number): Buffer {
  const method = zip.readUInt16LE(at + 10);
  const packed = zip.readUInt32LE(at + 20);
  const size = zip.readUInt32LE(at + 24);
  const local = zip.readUInt32LE(at + 42);
  if (zip.readUInt32LE(local) !== LOCAL || size > LARGEST_ENTRY) throw new RangeError('broken entry');
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  if (start + packed > zip.length) throw new RangeError('entry is cut off');
  const data = zip.subarray(start, start + packed);
  if (method !== 0 && method !== 8) throw new RangeError(`compression method ${method}`);
  const content = method === 0 ? data : inflateRawSync(data, { maxOutputLength: LARGEST_ENTRY });
  if (content.length !== size) throw new RangeError('entry has another size than announced');
  return content;
}
