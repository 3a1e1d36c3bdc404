import type { Profile } from './profile.js';
import { SAMPLE_STATES } from './sample-state.js';

/**
 * Everything that is wrong with a profile's tables, one sentence each; empty if it holds together. For tests and for readers of
 * foreign files: every index of every table is followed.
 */
export function checkProfile(profile: Profile): string[] {
  return [...checkFrames(profile), ...checkStacks(profile), ...checkSamples(profile), ...checkLost(profile)];
}

function checkFrames(profile: Profile): string[] {
  const wrong: string[] = [];
  const seen = new Map<string, number>();
  profile.frames.forEach((frame, index) => {
    if (frame.name === '') wrong.push(`frame ${index} has an empty name`);
    if (frame.line !== undefined && !(Number.isInteger(frame.line) && frame.line >= 1)) {
      wrong.push(`frame ${index} is at line ${frame.line}`);
    }
    const { name, kind, file, line, module, sourceText, corrupt } = frame;
    const key = JSON.stringify([name, kind, file, line, module, sourceText, corrupt]);
    const twin = seen.get(key);
    if (twin !== undefined) wrong.push(`frame ${index} equals frame ${twin}`);
    seen.set(key, index);
  });
  return wrong;
}

function checkStacks(profile: Profile): string[] {
  const { length, parent, frame, verified } = profile.stacks;
  const wrong: string[] = [];
  if (verified !== undefined && verified.length !== length) {
    wrong.push(`stack column verified has ${verified.length} rows, not ${length}`);
  }
  if (parent.length !== length || frame.length !== length) {
    wrong.push(`stack columns have ${parent.length} and ${frame.length} rows, not ${length}`);
  }
  const seen = new Map<string, number>();
  for (let row = 0; row < length; row += 1) {
    const above = parent[row] ?? Number.NaN;
    const index = frame[row] ?? Number.NaN;
    if (!(above >= -1 && above < row)) wrong.push(`stack ${row} has parent ${above}`);
    if (!(index >= 0 && index < profile.frames.length)) wrong.push(`stack ${row} has frame ${index}`);
    const twin = seen.get(`${above} ${index}`);
    if (twin !== undefined) wrong.push(`stack ${row} equals stack ${twin}`);
    seen.set(`${above} ${index}`, row);
  }
  return wrong;
}

function checkSamples(profile: Profile): string[] {
  const { length, stack, thread, weight, timeNs, state, holder } = profile.samples;
  const wrong: string[] = [];
  if ((state === undefined) !== (holder === undefined)) wrong.push('state and holder are not both there');
  for (const [name, column] of Object.entries({
    stack,
    thread,
    weight,
    ...(timeNs && { timeNs }),
    ...(state && { state }),
    ...(holder && { holder }),
  })) {
    if (column.length !== length)
      wrong.push(`sample column ${name} has ${column.length} rows, not ${length}`);
  }
  for (let row = 0; row < length; row += 1) {
    const at = stack[row] ?? Number.NaN;
    const owner = thread[row] ?? Number.NaN;
    const count = weight[row] ?? Number.NaN;
    if (!(at >= -1 && at < profile.stacks.length)) wrong.push(`sample ${row} has stack ${at}`);
    if (!(owner >= 0 && owner < profile.threads.length)) wrong.push(`sample ${row} has thread ${owner}`);
    const right = profile.unit === 'samples' ? Number.isSafeInteger(count) : Number.isFinite(count);
    if (!right || count < 0) wrong.push(`sample ${row} weighs ${count}`);
    if (timeNs !== undefined && !((timeNs[row] ?? Number.NaN) >= 0)) {
      wrong.push(`sample ${row} is at ${timeNs[row]} ns`);
    }
    if (state !== undefined && SAMPLE_STATES[state[row] ?? -1] === undefined) {
      wrong.push(`sample ${row} has state ${state[row]}`);
    }
    const held = holder?.[row] ?? -1;
    if (held < -1 || held >= profile.threads.length) wrong.push(`sample ${row} has holder ${held}`);
  }
  return wrong;
}

function checkLost(profile: Profile): string[] {
  const { samples, lines, examples } = profile.lost;
  const wrong: string[] = [];
  if (!Number.isInteger(samples) || samples < 0) wrong.push(`${samples} lost samples`);
  if (!Number.isInteger(lines) || lines < examples.length) {
    wrong.push(`${lines} lost lines with ${examples.length} examples`);
  }
  if (examples.length > 5) wrong.push(`${examples.length} examples of lost lines`);
  return wrong;
}
