import { describe, expect, it } from 'vitest';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import type { Profile } from '../../src/model/index.js';
import { classifyProfile, classifyStack } from '../../src/rules/classify.js';
import { countSamples } from '../../src/rules/breakdown.js';
import { compileRules } from '../../src/rules/rule-set.js';
import { builtInPacks } from '../../src/rules/packs/index.js';
import { parseFoldedFrames } from '../../src/rules/folded-frames.js';
import { findPhysicsThread } from '../../src/rules/physics-thread.js';
import { fixture } from '../formats/reading.js';

const ruleSet = compileRules(builtInPacks);

/** Microseconds by bucket and kind. */
function micros(profile: Profile): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { bucket, kind, samples } of countSamples(profile, classifyProfile(ruleSet, profile), 0)) {
    const key = kind === undefined ? bucket : `${bucket}/${kind}`;
    sums[key] = (sums[key] ?? 0) + samples / 1000;
  }
  return sums;
}

function labelOf(stack: string): string | undefined {
  return classifyStack(ruleSet, parseFoldedFrames(stack)).label;
}

interface Plain {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The time that stands between samples of one name and the next sample, straight from the file; its last sample apart. */
function between(data: Uint8Array, name: string): number {
  const { nodes, samples, timeDeltas } = JSON.parse(new TextDecoder().decode(data)) as Plain;
  const ids = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === name).map(({ id }) => id));
  return samples.reduce((sum, id, row) => sum + (ids.has(id) ? (timeDeltas[row + 1] ?? 0) : 0), 0);
}

/** Profiles of real programs under Node 20, and one under Node 24: `node --cpu-prof`. */
describe('real profiles of Node', () => {
  it.each([
    [
      'pacers',
      {
        'executor/callback': 59_089,
        'executor/event-loop': 19_120,
        'executor/program': 22_103,
        'executor/timers': 1_113,
        gc: 910_606,
        // Atomics.wait, and a loop that watches the clock.
        pacer: 337_556,
        'pacer/schedule': 2_213,
        'pacer/spin': 108_065,
        'idle/event-loop': 1_077_331,
        unclassified: 283_866,
      },
    ],
    [
      'pipes',
      {
        'publishing/serialize': 515_778,
        'executor/callback': 26_233,
        'executor/event-loop': 16_290,
        'executor/program': 27_053,
        'executor/take': 169_472,
        gc: 73_141,
        'io-wait/child-process': 91_257,
        'io-wait/file': 902,
        'io-wait/stream': 193_244,
        'idle/event-loop': 611_512,
        unclassified: 15_337,
      },
    ],
    [
      'ws-bridge',
      {
        publishing: 30_686,
        'publishing/serialize': 2_215,
        'publishing/socket': 55_444,
        'executor/callback': 154_703,
        'executor/event-loop': 6_439,
        'executor/program': 6_332,
        'executor/take': 50_300,
        'executor/timers': 1_125,
        gc: 11_216,
        'io-wait/file': 1_130,
        'io-wait/stream': 1_198,
        'pacer/schedule': 9_988,
        'idle/event-loop': 750_888,
        unclassified: 34_845,
      },
    ],
    [
      'ws-bridge-node24',
      {
        publishing: 21_991,
        'publishing/serialize': 1_292,
        'publishing/socket': 60_282,
        'executor/callback': 203_417,
        'executor/event-loop': 7_189,
        'executor/program': 12_341,
        'executor/take': 47_807,
        gc: 6_012,
        'io-wait/file': 5_578,
        'pacer/schedule': 3_192,
        'idle/event-loop': 684_807,
        unclassified: 4_189,
      },
    ],
    [
      'worker',
      {
        'publishing/serialize': 127_386,
        'executor/callback': 494_621,
        'executor/event-loop': 5_248,
        'executor/program': 1_737_439,
        'executor/timers': 1_075,
        gc: 53_824,
        'idle/event-loop': 4_480_785,
        unclassified: 27_055,
      },
    ],
  ])('%s', async (name, expected) => {
    const data = fixture(`cpuprofile/${name}.cpuprofile`);
    const sorted = micros(await readProfile([data], {}));
    expect(sorted).toEqual(expected);
  });

  it('idle, program and garbage collector have what the file gives them', async () => {
    for (const name of ['pacers', 'pipes', 'ws-bridge']) {
      const data = fixture(`cpuprofile/${name}.cpuprofile`);
      const sorted = micros(await readProfile([data], {}));
      for (const [key, frame] of [
        ['idle/event-loop', '(idle)'],
        ['executor/program', '(program)'],
        ['gc', '(garbage collector)'],
      ] as const) {
        expect(Math.abs((sorted[key] ?? 0) - between(data, frame)), `${name} ${key}`).toBeLessThan(2_000);
      }
    }
  });

  it('a loop on setTimeout makes its thread the one that is asked about', async () => {
    const profile = await readProfile([fixture('cpuprofile/ws-bridge.cpuprofile')], {});
    expect(findPhysicsThread(profile, classifyProfile(ruleSet, profile))).toMatchObject({
      index: 0,
      because: 'pacer',
    });
  });

  it('rows of publishing carry the message, from the name of the function or of the generated class', () => {
    const tick = 'listOnTimeout (node:internal/timers:524);tick (/app/b.mjs:1)';
    expect(
      labelOf(`${tick};publishScan (/app/b.mjs:12);sendFrame (/app/node_modules/ws/lib/sender.js:354)`),
    ).toBe('Scan');
    expect(labelOf(`${tick};Bridge.sendLaserScanMsg (/app/b.mjs:9);stringify (/app/json.js:1)`)).toBe(
      'LaserScan',
    );
    expect(labelOf(`${tick};publishAll (/app/b.mjs:12);publishState (/app/b.mjs:14)`)).toBe(undefined);
    const rcl = '/app/node_modules/rclnodejs';
    const built = `${rcl}/generated/sensor_msgs/sensor_msgs__msg__LaserScan.js`;
    expect(labelOf(`${tick};publish (${rcl}/lib/publisher.js:59);serialize (${built}:80)`)).toBe('LaserScan');
  });

  it('folded text gives the same buckets as the file it was made of', async () => {
    for (const name of ['pacers', 'pipes', 'ws-bridge', 'worker']) {
      const profile = await readProfile([fixture(`cpuprofile/${name}.cpuprofile`)], {});
      const folded = FORMATS.find(({ id }) => id === 'folded')?.write?.(profile) ?? [];
      const back = await readProfile([new TextEncoder().encode([...folded].join(''))], {});
      expect(micros(back), name).toEqual(micros(profile));
    }
  });

  it('a pacer that waits in Atomics.wait sleeps', async () => {
    const profile = await readProfile([fixture('v8-log/atomics-loop.json')], {});
    expect(micros(profile)).toMatchObject({ 'pacer/sleep': 270_110 });
  });
});
