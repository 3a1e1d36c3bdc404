import { callGraph } from './call-graph.mjs';
import { BETWEEN, OTHER_ROOTS, PHASE_ROOTS } from './phase-roots.mjs';

/** C functions; the rest is the C++ of compiler, parser and renderer, and the runtime. */
const C_NAME = /^[A-Za-z]\w*$/;

/**
 * Which phases of a step reach each function of a library: `{ version, exported, local, phases }`, where `phases` holds names in
 * one text for each phase, `shared` those that several reach or that something beside a step does.
 */
export async function readLibrary(library) {
  const version = /libmujoco\.(?:so\.)?(\d+\.\d+\.\d+)/.exec(library)?.[1];
  if (version === undefined) throw new Error(`${library}: its name does not end in a version`);
  const graph = await callGraph(library);
  const groups = Object.entries({ ...PHASE_ROOTS, ...OTHER_ROOTS, step: BETWEEN }).map(([phase, names]) => ({
    phase,
    roots: names.split(' '),
  }));
  const roots = new Set(groups.flatMap((group) => group.roots));
  const reached = new Map();
  for (const group of groups) {
    for (const name of reachedFrom(graph.calls, group.roots, roots)) {
      if (!C_NAME.test(name) || !(graph.exported.has(name) || graph.local.has(name))) continue;
      reached.set(name, [...(reached.get(name) ?? []), group.phase]);
    }
  }
  const phases = {};
  for (const [name, all] of [...reached].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const told = all.filter((phase) => phase !== 'step');
    const [only = 'step'] = told;
    const phase = told.length > 1 ? 'shared' : only in OTHER_ROOTS || only === 'step' ? 'none' : only;
    phases[phase] = phases[phase] === undefined ? name : `${phases[phase]} ${name}`;
  }
  return { version, exported: graph.exported.size, local: graph.local.size, phases };
}

function reachedFrom(calls, from, stops) {
  const todo = from.filter((name) => calls.has(name));
  const seen = new Set(todo);
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    for (const called of calls.get(name) ?? []) {
      if (seen.has(called) || stops.has(called)) continue;
      seen.add(called);
      todo.push(called);
    }
  }
  return seen;
}
