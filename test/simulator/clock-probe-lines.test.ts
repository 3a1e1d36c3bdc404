import { expect, it } from 'vitest';
import { clockProbeReader } from '../../src/simulator/index.js';

const said = (...pieces: readonly string[]): ReturnType<ReturnType<typeof clockProbeReader>['said']> => {
  const reader = clockProbeReader();
  for (const piece of pieces) reader.push(piece);
  return reader.said();
};

it('what the subscriber says is read, however it is cut into pieces', () => {
  const text = [
    '{"via":"rclpy","environment":{"ROS_DOMAIN_ID":"7"},"kind":"start"}',
    '{"of":[[1000,0],[2000,10,"a"]],"kind":"messages"}',
    '{"reason":"over","ns":5000,"publishers":["/bridge"],"kind":"end"}',
    '',
  ].join('\n');
  const expected = {
    samples: [
      { receiveNs: 1000, simNs: 0 },
      { receiveNs: 2000, simNs: 10, publisher: 'a' },
    ],
    via: 'rclpy',
    environment: { ROS_DOMAIN_ID: '7' },
    end: 'over',
    endNs: 5000,
    publishers: ['/bridge'],
  };
  expect(said(text)).toEqual(expected);
  expect(said(...text)).toEqual(expected);
});

it('other output is passed over, and what is no message is none', () => {
  expect(
    said(
      'hello\n[1,2]\n{"kind":\n{"kind":"messages","of":[[1],["1",2],null,[1,2,3]]}\n{"kind":"messages","of":7}\n',
      '{"kind":"end","reason":"rm -rf","ns":"7","publishers":[1,"x"],"said":"\\u001b[2J"}\n{"kind":"start","via":1,"environment":{"A":1}}\n',
      '{"kind":"messages","of":[[9,9]]}',
    ),
  ).toEqual({
    samples: [{ receiveNs: 1, simNs: 2 }],
    publishers: ['x'],
    said: '\u001B[2J',
    environment: {},
  });
});
