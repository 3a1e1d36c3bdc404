// WebSocket frames, RFC 6455 chapter 5, as far as a client of V8's inspector needs them.
import { randomBytes } from 'node:crypto';

export type Opcode = 'continuation' | 'text' | 'binary' | 'close' | 'ping' | 'pong';

const CODES: Readonly<Record<Opcode, number>> = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
};
const FINAL = 0x80;
const MASKED = 0x80;
const IN_16_BITS = 126;
const IN_64_BITS = 127;

/** One frame of a client, whose content is always masked. */
export function encodeFrame(opcode: Opcode, content: Uint8Array, mask: Uint8Array = randomBytes(4)): Buffer {
  const { length } = content;
  const extra = length < IN_16_BITS ? 0 : length <= 0xffff ? 2 : 8;
  const frame = Buffer.alloc(2 + extra + 4 + length);
  frame[0] = FINAL | CODES[opcode];
  frame[1] = MASKED | (extra === 0 ? length : extra === 2 ? IN_16_BITS : IN_64_BITS);
  if (extra === 2) frame.writeUInt16BE(length, 2);
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.set(mask, 2 + extra);
  const at = 2 + extra + 4;
  for (let index = 0; index < length; index += 1)
    frame[at + index] = (content[index] ?? 0) ^ (mask[index & 3] ?? 0);
  return frame;
}

export interface Message {
  readonly opcode: Exclude<Opcode, 'continuation'>;
  readonly content: Buffer;
}

export interface FrameReader {
  /** Takes what came, and gives the messages that are whole by now. Throws an `Error` for what is no frame of a server. */
  readonly take: (chunk: Uint8Array) => readonly Message[];
}

interface Frame {
  readonly opcode: Opcode;
  readonly isFinal: boolean;
  readonly content: Buffer;
  readonly bytes: number;
}

/** Reads the frames of a server, and joins the parts of a message. No message may be longer than `longest` bytes. */
export function frameReader(longest: number): FrameReader {
  let chunks: Buffer[] = [];
  let held = 0;
  /** Bytes without which there is nothing to look at: a long message comes in thousands of pieces. */
  let needed = 2;
  let open: { readonly opcode: Message['opcode']; readonly parts: Buffer[]; bytes: number } | undefined;
  const join = ({ opcode, isFinal, content }: Frame): Message | undefined => {
    if (opcode !== 'continuation') {
      // A ping may come between the parts of a message.
      if (isFinal) return { opcode, content };
      if (open !== undefined) throw new Error('a message began within another one');
      open = { opcode, parts: [content], bytes: content.length };
      return undefined;
    }
    if (open === undefined) throw new Error('a part came that continues no message');
    open.parts.push(content);
    open.bytes += content.length;
    if (open.bytes > longest) throw new Error(`a message has more than ${longest} bytes`);
    if (!isFinal) return undefined;
    const whole = { opcode: open.opcode, content: Buffer.concat(open.parts) };
    open = undefined;
    return whole;
  };
  return {
    take: (chunk) => {
      chunks.push(Buffer.from(chunk));
      held += chunk.length;
      if (held < needed) return [];
      let rest = Buffer.concat(chunks, held);
      const messages: Message[] = [];
      for (;;) {
        const frame = decodeFrame(rest, longest);
        if (typeof frame === 'number') {
          needed = frame;
          break;
        }
        rest = rest.subarray(frame.bytes);
        const message = join(frame);
        if (message !== undefined) messages.push(message);
      }
      chunks = [rest];
      held = rest.length;
      return messages;
    },
  };
}

/** The first frame, or how many bytes it takes to say more. */
function decodeFrame(bytes: Buffer, longest: number): Frame | number {
  if (bytes.length < 2) return 2;
  const first = bytes[0] ?? 0;
  const second = bytes[1] ?? 0;
  const opcode = opcodeOf(first & 0x0f);
  // Nothing was agreed that would give the other bits a meaning.
  if (opcode === undefined || (first & 0x70) !== 0) throw new Error('what came is no WebSocket frame');
  if ((second & MASKED) !== 0) throw new Error('the frame of a server is masked');
  const short = second & 0x7f;
  const extra = short < IN_16_BITS ? 0 : short === IN_16_BITS ? 2 : 8;
  const head = 2 + extra;
  if (bytes.length < head) return head;
  const length = extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (length > longest) throw new Error(`a message has more than ${longest} bytes`);
  if (bytes.length < head + length) return head + length;
  return {
    opcode,
    isFinal: (first & FINAL) !== 0,
    content: bytes.subarray(head, head + length),
    bytes: head + length,
  };
}

function opcodeOf(code: number): Opcode | undefined {
  switch (code) {
    case 0:
      return 'continuation';
    case 1:
      return 'text';
    case 2:
      return 'binary';
    case 8:
      return 'close';
    case 9:
      return 'ping';
    case 10:
      return 'pong';
    default:
      return undefined;
  }
}
