import { type Finding, type Profile, TOO_DEEP } from '../model/index.js';
import { count, percent, threadLabel } from '../report/index.js';

/** Above this part of a thread's samples they are a reason to distrust its shares. */
const MANY = 0.03;

/** Samples whose stacks were deeper than what our own sampler reads, of the thread that has the most of them. */
export function tooDeepStacks({ samples, frames, stacks, threads }: Profile): Finding[] {
  const frame = frames.findIndex(({ name }) => name === TOO_DEEP);
  if (frame < 0) return [];
  const deep = new Float64Array(threads.length);
  const all = new Float64Array(threads.length);
  for (let row = 0; row < samples.length; row += 1) {
    const thread = samples.thread[row] ?? -1;
    const weight = samples.weight[row] ?? 0;
    all[thread]! += weight;
    if (stacks.frame[samples.stack[row] ?? -1] === frame) deep[thread]! += weight;
  }
  const most = deep.indexOf(Math.max(0, ...deep));
  const [own = 0, whole = 0] = [deep[most], all[most]];
  const thread = threads[most];
  if (own === 0 || thread === undefined) return [];
  return [
    {
      level: own > MANY * whole ? 'warning' : 'note',
      id: 'stacks-too-deep',
      what: `${count(own)} of ${count(whole)} samples of ${threadLabel(thread)} (${percent(own / whole)}) have a stack that is too deep to be read: they count for no function.`,
      why: 'Our sampler reads stacks of up to 20,000 frames, 4,096 of generators and coroutines; py-spy reads no deeper ones than of 4,096. Whether the thread ran or waited is known all the same.',
      fix: 'sys.setrecursionlimit(20000)  (in the program: it then says where it goes deeper)',
    },
  ];
}
