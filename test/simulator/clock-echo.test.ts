import { describe, expect, it } from 'vitest';
import { readClockEcho } from '../../src/simulator/index.js';

const lines = (text: string): readonly { readonly text: string }[] =>
  text.split('\n').map((one) => ({ text: one }));

const message = (received: string, sec: number, nanosec: number): string =>
  `publication_sequence_number: 4\nreceived_timestamp: ${received}\nreception_sequence_number: 1\nsource_timestamp: 1796057322243443089\n---\nclock:\n  sec: ${sec}\n  nanosec: ${nanosec}\n---\n`;

describe('ros2 topic echo /clock', () => {
  it('with -i --csv has its receive times in front: source, received, publication, reception', () => {
    const found = readClockEcho(
      lines(
        [
          '1796057322243443089,1796057322243500000,18446744073709551615,1,12,340000000',
          '1796057322253443089,1796057322253600000,18446744073709551615,2,12,348000000',
          '',
        ].join('\n'),
      ),
    );
    expect(found).toEqual({
      stamps: 'echo',
      unread: 0,
      samples: [
        { receiveNs: 0, simNs: 0 },
        { receiveNs: 10_100_000, simNs: 8_000_000 },
      ],
    });
  });

  it('with -i as YAML has a document of them before each message', () => {
    const found = readClockEcho(
      lines(message('1796057322243500000', 12, 340_000_000) + message('1796057323243500000', 13, 0)),
    );
    expect(found).toEqual({
      stamps: 'echo',
      unread: 0,
      samples: [
        { receiveNs: 0, simNs: 0 },
        { receiveNs: 1_000_000_000, simNs: 660_000_000 },
      ],
    });
  });

  it('without -i is worth something only where its lines were seen to come', () => {
    const text = ['WARNING: topic [/clock] does not appear to be published yet', '12,0', '12,500000000'];
    expect(readClockEcho(lines(text.join('\n')))).toEqual({ stamps: 'none', unread: 1, samples: [] });
    const seen = text.map((line, index) => ({ text: line, arrivedNs: index * 700 }));
    expect(readClockEcho(seen)).toEqual({
      stamps: 'arrival',
      unread: 1,
      samples: [
        { receiveNs: 700, simNs: 0 },
        { receiveNs: 1400, simNs: 500_000_000 },
      ],
    });
  });

  it('with --field clock is read as well, and what is cut or told of lost messages is counted', () => {
    const found = readClockEcho([
      { text: 'sec: 1', arrivedNs: 1 },
      { text: 'nanosec: 0', arrivedNs: 2 },
      { text: '---', arrivedNs: 3 },
      { text: 'A message was lost!!!', arrivedNs: 4 },
      { text: '\ttotal count change:1', arrivedNs: 5 },
      { text: '---', arrivedNs: 6 },
      { text: 'sec: 2', arrivedNs: 7 },
      { text: 'nano', arrivedNs: 8 },
    ]);
    expect(found.samples).toEqual([{ receiveNs: 2, simNs: 0 }]);
    expect(found.unread).toBe(3);
  });
});
