import type { DeviceEvent, HostCall, NsysEvents, NvtxRange } from './nsys-events.js';
import { isPreparation, rangeName } from './nsys-names.js';

/** The part of a capture in which the simulation steps, and what tells it. */
export interface SteadyWindow {
  readonly startNs: number;
  readonly endNs: number;
  /**
   * `timed_run`, `warmup`: the ranges that FlyGym sets. `step`: its first step is not in it. `preparation`: from the last code that was
   * loaded on. `all`: nothing tells the warm-up apart.
   */
  readonly by: 'timed_run' | 'warmup' | 'step' | 'preparation' | 'all';
}

/** With fewer there is no telling which of them is the steady one. */
const FEW_STEPS = 3;

/** Undefined where the GPU did nothing. */
export function steadyWindow(events: NsysEvents): SteadyWindow | undefined {
  const { device, ranges, calls } = events;
  const [first] = device;
  if (first === undefined) return undefined;
  const startNs = device.reduce((low, event) => Math.min(low, event.startNs), first.startNs);
  const endNs = device.reduce((high, event) => Math.max(high, event.endNs), first.endNs);
  const named = (name: string): readonly NvtxRange[] =>
    ranges.filter((range) => rangeName(range.name) === name);
  const timed = named('timed_run').at(-1);
  if (timed !== undefined) return { ...withItsWork(timed.startNs, timed.endNs, events), by: 'timed_run' };
  const warmUpNs = named('warmup').reduce((high, range) => Math.max(high, range.endNs), -Infinity);
  if (warmUpNs > -Infinity && warmUpNs < endNs) return { startNs: warmUpNs, endNs, by: 'warmup' };
  const steps = named('step').toSorted((a, b) => a.startNs - b.startNs);
  const [second, last] = [steps[1], steps.at(-1)];
  if (steps.length >= FEW_STEPS && second !== undefined && last !== undefined)
    return { ...withItsWork(second.startNs, last.endNs, events), by: 'step' };
  const preparedNs = calls.reduce(
    (high, { name, endNs: at }) => (isPreparation(name) ? Math.max(high, at) : high),
    -Infinity,
  );
  const isStart = device.filter((event) => event.startNs < preparedNs).length < device.length / 2;
  if (preparedNs > startNs && isStart) return { startNs: preparedNs, endNs, by: 'preparation' };
  return { startNs, endNs, by: 'all' };
}

/** The host runs ahead of the GPU: what was launched between two moments ends later. */
function withItsWork(
  startNs: number,
  endNs: number,
  { device, calls }: NsysEvents,
): { startNs: number; endNs: number } {
  const launched = launchedIn(calls, startNs, endNs);
  const lastNs = device.reduce(
    (high, event) =>
      event.launch !== undefined && launched.has(event.launch) ? Math.max(high, event.endNs) : high,
    endNs,
  );
  return { startNs, endNs: lastNs };
}

function launchedIn(calls: readonly HostCall[], startNs: number, endNs: number): ReadonlySet<number> {
  const inside = calls.filter((call) => call.startNs >= startNs && call.startNs <= endNs);
  return new Set(inside.flatMap(({ launch }) => (launch === undefined ? [] : [launch])));
}

/** Work of the GPU by the call that started it. */
export function byLaunch(device: readonly DeviceEvent[]): ReadonlyMap<number, readonly DeviceEvent[]> {
  const groups = new Map<number, DeviceEvent[]>();
  for (const event of device) {
    if (event.launch === undefined) continue;
    const group = groups.get(event.launch);
    if (group === undefined) groups.set(event.launch, [event]);
    else group.push(event);
  }
  return groups;
}
