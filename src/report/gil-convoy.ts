import type { Finding } from '../model/index.js';
import type { GilPlace, ThreadAnswer } from './answer.js';
import { functionLabel, threadLabel } from './names.js';
import { percent } from './share-text.js';

/** Waiting for the GIL where it steps, of the physics thread's time, from which on it is worth a word. */
const CONVOY_FROM = 0.1;
/** Part of the physics thread's waits for the GIL for which one thread is to blame. */
const MOSTLY = 0.5;
/** Looks without which nothing is said of what another thread makes of them. */
const ENOUGH_LOOKS = 100;
/** Part of all looks at which the physics thread computes without the GIL. */
const NOTABLE_WINDOWS = 0.1;
/** Part of the blocked time that is waiting for the GIL, so that the kernel's count of switches is a count of those waits. */
const NEARLY_ALL = 0.9;

/**
 * The trap of a loop that makes one step a call beside another thread of Python: nothing overlaps, although every step lets go of the GIL.
 * `gil-convoy`: the stepping thread waits longer to get the GIL back than it steps. `gil-windows-missed`: the other one waits although the
 * GIL is free. `threads` begins with the physics thread.
 */
export function gilConvoy([physics, ...others]: readonly ThreadAnswer[]): Finding[] {
  if (physics?.gilWindows === undefined) return [];
  return [...convoy(physics, others), ...missedWindows(physics, others)];
}

function convoy(physics: ThreadAnswer, others: readonly ThreadAnswer[]): Finding[] {
  const steps = physics.gilWindows?.places.filter(({ bucket }) => bucket === 'physics') ?? [];
  const sum = (of: (place: GilPlace) => number): number => steps.reduce((all, place) => all + of(place), 0);
  const waits = sum((place) => place.waits);
  const runs = sum((place) => place.runs);
  const [place] = steps.toSorted((a, b) => b.waits - a.waits);
  const rival = others
    .filter(({ rival: use }) => use !== undefined)
    .toSorted((a, b) => blamed(b) - blamed(a))
    .at(0);
  if (place === undefined || waits < CONVOY_FROM || waits < runs) return [];
  if (rival === undefined || blamed(rival) < MOSTLY) return [];
  const [name, other] = [threadLabel(physics.thread), threadLabel(rival.thread)];
  return [
    {
      level: 'note',
      id: 'gil-convoy',
      what: `Where it steps (${functionLabel(place.frame)}), ${name} waits ${percent(waits)} of the time to get the GIL back from ${other}, and is on a CPU ${percent(runs)}. Both are on a CPU at once only ${percent(rival.rival?.both.share ?? 0)} of the time, although a step lets go of the GIL.`,
      why: `${other} takes the GIL as soon as it has woken up after a step let go of it, and is made to give it back only after the switch interval (5 ms unless the program sets another).${episodes(physics)} A call of many steps waits once for all of them: one that computes for 100 ms would step 95 % of the time, with ${other} beside it on another CPU.`,
      fix: `${manySteps(place)}; or give ${other} a process of its own. sys.setswitchinterval(0.0005) helps calls of some milliseconds only.`,
    },
  ];
}

function blamed({ rival }: ThreadAnswer): number {
  return rival === undefined || rival.use.firstWaits === 0
    ? 0
    : rival.use.firstWaitsForOther / rival.use.firstWaits;
}

/** How often and for how long it was gone, where the kernel's count of that is a count of these waits. */
function episodes({ totals }: ThreadAnswer): string {
  if (totals?.gilWait === undefined || !(totals.voluntaryPerS > 0)) return '';
  if (totals.gilWait < NEARLY_ALL * totals.blocked) return '';
  const ms = (1000 * totals.blocked) / totals.voluntaryPerS;
  return ` Here it left its CPU ${Math.round(totals.voluntaryPerS)} times a second, for ${ms.toFixed(1)} ms on average.`;
}

function manySteps({ rule }: GilPlace): string {
  return rule?.startsWith('mujoco/') === true
    ? 'Call mujoco.mj_step(model, data, nstep=N) with as many steps as need no Python between them'
    : 'Make many steps in one call, where the simulator can and no Python is needed between them';
}

function missedWindows(physics: ThreadAnswer, others: readonly ThreadAnswer[]): Finding[] {
  return others.flatMap(({ thread, rival }) => {
    if (rival === undefined) return [];
    const { open, looks, inOpen } = rival.use;
    const wanted = inOpen.running + inOpen['gil-wait'] + inOpen['cpu-wait'];
    if (open < ENOUGH_LOOKS || open < NOTABLE_WINDOWS * looks) return [];
    if (wanted < MOSTLY * open || inOpen['gil-wait'] < MOSTLY * wanted) return [];
    const [name, other] = [threadLabel(physics.thread), threadLabel(thread)];
    return [
      {
        level: 'note',
        id: 'gil-windows-missed',
        what: `${name} computes ${percent(open / looks)} of the time without the GIL, but ${other} still waits for it at ${percent(inOpen['gil-wait'] / open)} of those moments, and runs at ${percent(inOpen.running / open)}.`,
        why: `Each time that ${name} lets go of the GIL it is back before ${other} has woken up. Only calls that compute for longer than that overlap.`,
        fix: 'Make fewer and longer calls that let go of the GIL, such as mujoco.mj_step(model, data, nstep=N).',
      },
    ];
  });
}
