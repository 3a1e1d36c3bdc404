import type { Backend } from '../backend.js';
import { cpython } from './cpython/backend.js';
import { node } from './node.js';
import { perf } from './perf.js';
import { pySpy } from './py-spy.js';

/** Every sampler that can be driven, by id. */
export const BACKENDS: readonly Backend[] = [pySpy, perf, node, cpython];

export { cpython } from './cpython/backend.js';
export { node } from './node.js';
export { perf } from './perf.js';
export { pySpy } from './py-spy.js';
export type { Backend, PlannedSlice, SamplerLine, SlicePlan } from '../backend.js';
