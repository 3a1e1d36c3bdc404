import type { Finding } from '../model/index.js';
import { countedText, shareText, timeText } from './amount-text.js';
import type { NsysEvents } from './nsys-events.js';
import type { NsysFacts } from './nsys-facts.js';
import { shortKernelsText, stepRangeFinding, waitFinding } from './nsys-findings.js';
import { SHORT_KERNEL_US } from './nsys-names.js';

/** A step whose work takes this much longer than its range, or ends this part of it later, is not in it. */
const LONGER = 1.2;
const LATE = 0.5;

const BY: Readonly<Record<NsysFacts['window']['by'], string>> = {
  timed_run: 'the range timed_run, with the work that it started',
  warmup: 'all after the range warmup',
  step: 'the step ranges but the first',
  preparation: 'all after the last code was loaded',
  all: 'the whole capture',
};

export function answerFindings(facts: NsysFacts, events: NsysEvents): readonly Finding[] {
  return [
    bound(facts),
    hostWait(facts),
    stepRange(facts),
    warmUp(facts),
    firstCall(facts),
    ...missing(facts, events),
  ].filter((finding) => finding !== undefined);
}

function bound({
  bound: by,
  window,
  gpuBusyShare,
  kernelShare,
  launches,
  kernels,
  gpus,
}: NsysFacts): Finding {
  const which = gpus > 1 ? `The busiest of ${gpus} GPUs` : 'The GPU';
  const busy = `${which} is busy ${shareText(gpuBusyShare)} of ${timeText(window.us)} (${BY[window.by]})`;
  const each =
    launches === undefined
      ? ''
      : `; ${countedText(launches.count, 'call')} that launch, one each ${timeText(launches.apartUs)}, with ${timeText(launches.deviceUs)} of work in each`;
  const short = kernels === undefined ? '' : `; ${shortKernelsText(kernels.shortShare, SHORT_KERNEL_US)}`;
  if (by === 'kernel')
    return {
      level: 'note',
      id: 'gpu-kernel-bound',
      what: `${busy}${each}.`,
      why: 'The host is ahead of it, so only fewer or faster kernels make the loop faster.',
      fix: 'Begin with the kernels that have the largest share.',
    };
  if (by === 'copy')
    return {
      level: 'warning',
      id: 'gpu-copy-bound',
      what: `${busy}; kernels run in ${shareText(kernelShare)} of that.`,
      why: 'The rest of it only moves memory, so faster kernels make hardly anything faster.',
      fix: 'Leave data on the GPU, and read it back once after many steps.',
    };
  if (by === 'launch')
    return {
      level: 'warning',
      id: 'gpu-launch-bound',
      what: `${busy}${each}${short}.`,
      why: 'The GPU waits for the host, which is busy launching or with its own code, so faster kernels make nothing faster.',
      fix: 'Capture the step as one CUDA graph, or simulate more worlds in each step.',
    };
  return {
    level: 'note',
    id: 'gpu-busy-in-part',
    what: `${busy}${each}${short}.`,
    why: 'Neither the kernels nor the launches alone explain the time: the host waits for the GPU and the GPU for the host, or the host is not in the capture.',
  };
}

function hostWait({ hostWait: wait }: NsysFacts): Finding | undefined {
  return wait === undefined || wait.us === 0
    ? undefined
    : waitFinding(wait.us, wait.calls, wait.names, wait.share);
}

function stepRange({ step }: NsysFacts): Finding | undefined {
  if (step === undefined) return undefined;
  const isLate = (step.lateUs ?? 0) > LATE * step.hostUs;
  return step.deviceUs > LONGER * step.hostUs || isLate ? stepRangeFinding(step) : undefined;
}

function warmUp({ warmUp: before, window }: NsysFacts): Finding | undefined {
  if (before === undefined) {
    if (window.by !== 'all') return undefined;
    return {
      level: 'note',
      id: 'warm-up-unknown',
      what: 'Nothing tells the warm-up from the loop: no ranges named warmup, timed_run or step, and no code was loaded.',
      why: 'First calls are in all numbers, and make them larger.',
      fix: 'Set NVTX ranges around both: wp.ScopedTimer("timed_run", use_nvtx=True).',
    };
  }
  return {
    level: 'note',
    id: 'warm-up-apart',
    what: `${timeText(before.us)} before that are warm-up, and no part of these numbers (GPU busy ${timeText(before.gpuBusyUs)} of it).`,
    why: 'Code is compiled and loaded there; rows of tables hold the whole capture, their time per step only the loop.',
  };
}

function firstCall({ firstCalls }: NsysFacts): Finding | undefined {
  const [worst] = firstCalls;
  if (worst === undefined) return undefined;
  const others = firstCalls.length > 1 ? ` (and ${countedText(firstCalls.length - 1, 'kernel')} more)` : '';
  return {
    level: 'note',
    id: 'first-call-stands-out',
    what: `The first call of ${worst.name} took ${timeText(worst.firstUs)}, the median of the others is ${timeText(worst.medianUs)}${others}.`,
    why: 'It is warm-up; a mean over all calls holds it, the median does not.',
  };
}

function missing({ step }: NsysFacts, { has, device, unreadable }: NsysEvents): readonly Finding[] {
  const found: Finding[] = [];
  const graphs = device.filter(({ kind }) => kind === 'graph').length;
  if (graphs > 0)
    found.push({
      level: 'warning',
      id: 'graphs-not-expanded',
      what: `CUDA graphs were recorded as a whole (${countedText(graphs, 'run')}): their kernels are not in this capture.`,
      why: 'Which kernel takes the time cannot be told.',
      fix: 'nsys profile --cuda-graph-trace=node …',
    });
  if (!has.has('calls'))
    found.push({
      level: 'note',
      id: 'no-host-calls',
      what: 'The capture has no calls of CUDA: launches and what they started cannot be told.',
      why: 'Calls are recorded along with kernels, unless they were left out of the export.',
      fix: 'nsys profile --trace=cuda,nvtx,osrt …',
    });
  if (step !== undefined && step.lateUs === undefined)
    found.push({
      level: 'note',
      id: 'steps-not-joined',
      what: 'No launch could be joined to what it started: the GPU time of a step is the average of all.',
      why: 'The file has no correlation ids, or none that meet.',
    });
  if (unreadable > 0)
    found.push({
      level: 'note',
      id: 'nsys-open-events',
      what: `${countedText(unreadable, 'event')} without an end left out.`,
      why: 'They were still going on when the capture ended.',
    });
  return found;
}
