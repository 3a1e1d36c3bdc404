/** What a capture of nsys says of the loop of a simulation: who waits for whom, and what is not of the loop. Pure; times are microseconds. */
import { type Finding, firstWhere } from '../model/index.js';
import { clipped, covered, type Interval } from './intervals.js';
import { answerFindings } from './nsys-answer-findings.js';
import type { DeviceEvent, HostCall, NsysEvents, NvtxRange } from './nsys-events.js';
import type { NsysFacts } from './nsys-facts.js';
import type { RangeOfLaunch } from './nsys-findings.js';
import { isLaunch, isWait, rangeName, SHORT_KERNEL_US } from './nsys-names.js';
import { byLaunch, type SteadyWindow, steadyWindow } from './nsys-window.js';
import { median } from './quantile.js';

/** Busier than this, only the GPU can become faster, */
const BUSY = 0.8;
/** and with less of it in kernels, it is moving memory that takes the time. */
const KERNELS = 0.5;
/** With less than this the GPU mostly waits, */
const IDLE = 0.5;
/** and it is the host that it waits for, where the host hardly waits itself. */
const HARDLY_WAITS = 0.25;
const FEW_CALLS = 10;
/** A first call this many times the usual one, and by this much, was no ordinary call. */
const OUTLIER = 5;
const OUTLIER_US = 50;

export interface NsysAnswer extends NsysFacts {
  readonly findings: readonly Finding[];
}

/** Undefined where the capture has nothing of the GPU. */
export function nsysAnswer(events: NsysEvents): NsysAnswer | undefined {
  const window = steadyWindow(events);
  if (window === undefined) return undefined;
  const within: Interval = [window.startNs, window.endNs];
  const windowUs = micro(window.endNs - window.startNs);
  const busy = busiest(events.device, within);
  const busyUs = micro(busy.ns);
  const calls = events.calls.filter(({ startNs }) => startNs >= within[0] && startNs <= within[1]);
  const thread = launchingThread(calls);
  const hostWait = events.has.has('waits') ? waits(events.calls, within, thread) : undefined;
  const launches = launchesOf(calls, thread, busyUs);
  const kernels = kernelsOf(events.device, within);
  const gpuBusyShare = windowUs > 0 ? busyUs / windowUs : 0;
  const steps = events.ranges.filter(
    ({ name, startNs }) => rangeName(name) === 'step' && startNs >= within[0] && startNs <= within[1],
  );
  const step = stepRange(steps, events, launches === undefined ? undefined : busyUs);
  const warmUp = warmUpOf(events, window);
  const bound = boundBy(gpuBusyShare, busy.kernelShare, hostWait?.share, launches?.count);
  const answer: NsysFacts = {
    window: { us: windowUs, by: window.by },
    gpuBusyUs: busyUs,
    gpuBusyShare,
    kernelShare: busy.kernelShare,
    gpus: new Set(events.device.map(({ device }) => device)).size,
    ...(hostWait === undefined ? {} : { hostWait }),
    ...(launches === undefined ? {} : { launches }),
    ...(kernels === undefined ? {} : { kernels }),
    ...(bound === undefined ? {} : { bound }),
    ...(warmUp === undefined ? {} : { warmUp }),
    firstCalls: firstCalls(events.device),
    ...(step === undefined ? {} : { step }),
    ...(steps.length === 0 ? {} : { steps: steps.length }),
  };
  return { ...answer, findings: answerFindings(answer, events) };
}

function boundBy(
  busy: number,
  kernels: number,
  waiting: number | undefined,
  launches = 0,
): NsysFacts['bound'] {
  if (busy >= BUSY) return kernels < KERNELS ? 'copy' : 'kernel';
  const isHost = busy < IDLE && waiting !== undefined && waiting < HARDLY_WAITS;
  return isHost && launches >= FEW_CALLS ? 'launch' : undefined;
}

function busiest(
  device: readonly DeviceEvent[],
  within: Interval,
): { readonly ns: number; readonly kernelShare: number } {
  const byDevice = new Map<number | undefined, DeviceEvent[]>();
  for (const event of device) {
    const own = byDevice.get(event.device);
    if (own === undefined) byDevice.set(event.device, [event]);
    else own.push(event);
  }
  const all = [...byDevice.values()].map((own) => ({
    ns: coveredBy(own, within),
    kernelNs: coveredBy(
      own.filter(({ kind }) => kind === 'kernel' || kind === 'graph'),
      within,
    ),
  }));
  const { ns, kernelNs } = all.toSorted((a, b) => b.ns - a.ns)[0] ?? { ns: 0, kernelNs: 0 };
  return { ns, kernelShare: ns > 0 ? kernelNs / ns : 0 };
}

function coveredBy(events: readonly DeviceEvent[], within: Interval): number {
  return covered(
    clipped(
      events.map(({ startNs, endNs }): Interval => [startNs, endNs]),
      within,
    ),
  );
}

function launchingThread(calls: readonly HostCall[]): number | undefined {
  const counts = new Map<number, number>();
  for (const { name, thread } of calls)
    if (thread !== undefined && isLaunch(name)) counts.set(thread, (counts.get(thread) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

/** Also of waits that began before the window. Of other threads none: they may wait for each other's work all day. */
function waits(
  calls: readonly HostCall[],
  within: Interval,
  thread: number | undefined,
): NsysFacts['hostWait'] {
  const waiting = calls.filter(
    (call) =>
      isWait(call.name) &&
      (thread === undefined || call.thread === undefined || call.thread === thread) &&
      call.startNs < within[1] &&
      call.endNs > within[0],
  );
  const ns = covered(
    clipped(
      waiting.map(({ startNs, endNs }): Interval => [startNs, endNs]),
      within,
    ),
  );
  return {
    us: micro(ns),
    share: within[1] > within[0] ? ns / (within[1] - within[0]) : 0,
    calls: waiting.length,
    names: [...new Set(waiting.map(({ name }) => name))],
  };
}

function launchesOf(
  calls: readonly HostCall[],
  thread: number | undefined,
  busyUs: number,
): NsysFacts['launches'] {
  const own = calls
    .filter((call) => isLaunch(call.name) && (thread === undefined || call.thread === thread))
    .toSorted((a, b) => a.startNs - b.startNs);
  const apart = own.slice(1).map(({ startNs }, at) => startNs - (own[at]?.startNs ?? startNs));
  const apartNs = median(apart);
  if (apartNs === undefined) return undefined;
  const hostNs = own.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0) / own.length;
  return { count: own.length, apartUs: micro(apartNs), hostUs: micro(hostNs), deviceUs: busyUs / own.length };
}

function kernelsOf(device: readonly DeviceEvent[], [from, to]: Interval): NsysFacts['kernels'] {
  const times = device.flatMap(({ kind, startNs, endNs }) =>
    kind === 'kernel' && startNs >= from && startNs < to ? [micro(endNs - startNs)] : [],
  );
  if (times.length === 0) return undefined;
  return {
    count: times.length,
    meanUs: times.reduce((sum, us) => sum + us, 0) / times.length,
    shortShare: times.filter((us) => us < SHORT_KERNEL_US).length / times.length,
  };
}

function warmUpOf({ device, calls, ranges }: NsysEvents, window: SteadyWindow): NsysFacts['warmUp'] {
  const first = [...device, ...calls, ...ranges].reduce(
    (low, { startNs }) => Math.min(low, startNs),
    window.startNs,
  );
  if (window.by === 'all' || !(first < window.startNs)) return undefined;
  return {
    us: micro(window.startNs - first),
    gpuBusyUs: micro(busiest(device, [first, window.startNs]).ns),
  };
}

function firstCalls(device: readonly DeviceEvent[]): NsysFacts['firstCalls'] {
  const byName = new Map<string, DeviceEvent[]>();
  for (const event of device) {
    if (event.kind !== 'kernel') continue;
    const own = byName.get(event.name);
    if (own === undefined) byName.set(event.name, [event]);
    else own.push(event);
  }
  const outliers = [...byName].flatMap(([name, own]) => {
    const times = own
      .toSorted((a, b) => a.startNs - b.startNs)
      .map(({ startNs, endNs }) => micro(endNs - startNs));
    const [firstUs = 0, ...later] = times;
    const medianUs = median(later) ?? Infinity;
    const isOutlier =
      times.length >= FEW_CALLS && firstUs >= OUTLIER * medianUs && firstUs - medianUs >= OUTLIER_US;
    return isOutlier ? [{ name, firstUs, medianUs }] : [];
  });
  return outliers.toSorted((a, b) => b.firstUs - a.firstUs);
}

/** What is launched within each range, by its launches; without them, what the GPU did of one step on average. */
function stepRange(
  steps: readonly NvtxRange[],
  { device, calls }: NsysEvents,
  busyUs: number | undefined,
): RangeOfLaunch | undefined {
  if (steps.length === 0) return undefined;
  const hostUs = steps.reduce((sum, { startNs, endNs }) => sum + micro(endNs - startNs), 0) / steps.length;
  const work = byLaunch(device);
  const launching = calls
    .filter(({ launch }) => launch !== undefined && work.has(launch))
    .toSorted((a, b) => a.startNs - b.startNs);
  const found = steps.flatMap((range) => {
    const started = callsIn(launching, range).flatMap(({ launch }) => work.get(launch ?? -1) ?? []);
    if (started.length === 0) return [];
    const endNs = started.reduce((high, event) => Math.max(high, event.endNs), 0);
    const us = micro(covered(started.map((event): Interval => [event.startNs, event.endNs])));
    return [{ us, lateUs: micro(Math.max(0, endNs - range.endNs)) }];
  });
  if (found.length === 0)
    return busyUs === undefined
      ? undefined
      : { count: steps.length, hostUs, deviceUs: busyUs / steps.length };
  return {
    count: steps.length,
    hostUs,
    deviceUs: found.reduce((sum, { us }) => sum + us, 0) / found.length,
    lateUs: median(found.map(({ lateUs }) => lateUs)) ?? 0,
  };
}

/** Calls that start within a range, on its thread. They are in order, and there may be millions. */
function callsIn(calls: readonly HostCall[], { startNs, endNs, thread }: NvtxRange): readonly HostCall[] {
  const first = firstWhere(calls.length, (place) => (calls[place] as HostCall).startNs >= startNs);
  const found: HostCall[] = [];
  for (let at = first; at < calls.length; at += 1) {
    const call = calls[at];
    if (call === undefined || call.startNs > endNs) break;
    if (thread === undefined || call.thread === undefined || call.thread === thread) found.push(call);
  }
  return found;
}

function micro(ns: number): number {
  return ns / 1000;
}
