import { describe, expect, it } from 'vitest';
import { encodeFrame, frameReader } from '../../../src/target/node/inspector/frames.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

describe('a frame of a client', () => {
  it('is masked, as the example of RFC 6455 is', () => {
    const mask = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);
    expect(encodeFrame('text', Buffer.from('Hello'), mask).toString('hex')).toBe('818537fa213d7f9f4d5158');
  });

  it.each([
    [125, '81fd'],
    [126, '81fe007e'],
    [65_535, '81feffff'],
    [65_536, '81ff0000000000010000'],
  ])('says its length of %i bytes in as few bytes as it can', (length, head) => {
    const encoded = encodeFrame('text', Buffer.alloc(length), Buffer.alloc(4));
    expect(encoded.toString('hex', 0, head.length / 2)).toBe(head);
    expect(encoded).toHaveLength(head.length / 2 + 4 + length);
  });
});

/** A frame of a server. */
function frame(first: number, content: string): Buffer {
  const bytes = Buffer.from(content);
  const head =
    bytes.length < 126 ? [first, bytes.length] : [first, 126, bytes.length >> 8, bytes.length & 255];
  return Buffer.concat([Buffer.from(head), bytes]);
}

describe('frames of a server', () => {
  it('are read however they are cut', () => {
    const bytes = Buffer.concat([frame(0x81, 'Hello'), frame(0x81, 'x'.repeat(300)), frame(0x88, '')]);
    const reader = frameReader(1000);
    const found = [...bytes].flatMap((byte) => reader.take(Buffer.from([byte])));
    expect(found.map(({ opcode, content }) => [opcode, text(content)])).toEqual([
      ['text', 'Hello'],
      ['text', 'x'.repeat(300)],
      ['close', ''],
    ]);
  });

  it('are joined where a message comes in parts, with a ping between them', () => {
    const bytes = Buffer.concat([
      frame(0x01, 'one '),
      frame(0x89, 'ping'),
      frame(0x00, 'two '),
      frame(0x80, 'three'),
    ]);
    const found = frameReader(1000).take(bytes);
    expect(found.map(({ opcode, content }) => [opcode, text(content)])).toEqual([
      ['ping', 'ping'],
      ['text', 'one two three'],
    ]);
  });

  it('of a long message come in thousands of pieces, and are joined once', () => {
    const content = Buffer.alloc(8_000_000, 'y');
    const head = Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeBigUInt64BE(BigInt(content.length), 2);
    const bytes = Buffer.concat([head, content]);
    const reader = frameReader(10_000_000);
    let found = 0;
    for (let at = 0; at < bytes.length; at += 80) found += reader.take(bytes.subarray(at, at + 80)).length;
    expect(found).toBe(1);
  });

  it.each([
    ['is masked', Buffer.from([0x81, 0x80, 0, 0, 0, 0]), 'masked'],
    ['has bits that nobody agreed on', Buffer.from([0xc1, 0]), 'no WebSocket frame'],
    ['has an unknown code', Buffer.from([0x83, 0]), 'no WebSocket frame'],
    ['continues nothing', frame(0x80, 'x'), 'continues no message'],
    ['begins within another', Buffer.concat([frame(0x01, 'a'), frame(0x01, 'b')]), 'within another'],
    ['is too long', frame(0x81, 'z'.repeat(200)), 'more than 100 bytes'],
    [
      'becomes too long in parts',
      Buffer.concat([frame(0x01, 'z'.repeat(60)), frame(0x80, 'z'.repeat(60))]),
      'more than 100 bytes',
    ],
    ['claims 2^63 bytes', Buffer.from([0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]), 'more than 100 bytes'],
  ])('one that %s is refused', (_what, bytes, why) => {
    expect(() => frameReader(100).take(bytes)).toThrow(why);
  });
});
