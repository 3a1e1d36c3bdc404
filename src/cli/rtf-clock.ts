import { setTimeout as delay } from 'node:timers/promises';
import { type Finding, ProfilerError, shellLine } from '../model/index.js';
import type { Rtf } from '../report/index.js';
import { clockFactor, type ClockFactor, clockProbeReader, type ClockProbeSaid } from '../simulator/index.js';
import {
  changedError,
  type ClockProbe,
  clockProbe,
  containerNow,
  findTarget,
  openJournal,
  pidOfContainer,
  sameProcess,
  shownPid,
  type Target,
} from '../target/index.js';
import { clockFailure } from './clock-failure.js';
import { differentSettings } from './clock-settings.js';
import { EXIT_INTERRUPTED, interrupted, interruptible } from './interrupt.js';
import type { Io } from './io.js';
import { type FoundTarget, namedContainer, resolveTarget, type TargetFlags } from './target-flags.js';
import { targetWords } from './target-words.js';

/** Discovery takes a second or two, on a busy machine more. */
const PATIENCE_S = 15;
/** Memory for some 50 MB of them; an unpaced simulation sends thousands a second. */
const MOST_MESSAGES = 500_000;
/** A probe that does not end by itself then never will. */
const GRACE_MS = 15_000;

const COMMAND = ['rtf', '--clock'];

interface ClockFlags extends TargetFlags {
  readonly duration: number;
  readonly pace: number;
}

/** How fast a target runs, by its /clock. Throws what finding the target and `clockProbe`, `clockFailure` and `clockFactor` throw. */
export async function clockRtf(io: Io, flags: ClockFlags): Promise<Rtf> {
  const found = await listeningPlace(io, flags);
  const { target } = found;
  const probe = await clockProbe({
    ...found,
    journal: openJournal(io.env, new Date().toISOString()),
    seconds: flags.duration,
    patienceS: PATIENCE_S,
    mostMessages: MOST_MESSAGES,
  });
  const { said, words, exit, wasStopped } = await listened(io, probe, flags.duration);
  if (wasStopped && said.samples.length === 0)
    throw interrupted(' before the first message', 'nothing was measured');
  const facts = { target, probe, said, words, exit, patienceS: PATIENCE_S };
  if (said.samples.length === 0) throw (await containerChanged(found)) ?? clockFailure(facts);
  const ended = !wasStopped && (await hasGone(target, said));
  const { factor, findings, ...measured } = factorOf(said, { wasStopped, ended });
  if (wasStopped) io.setExitCode(EXIT_INTERRUPTED);
  return {
    source: sourceOf(target),
    target: shellLine(targetWords(flags, target)),
    factor: factor.value,
    low: factor.low,
    high: factor.high,
    pace: flags.pace,
    measured: { way: 'clock', ...measured, ...(said.via === undefined ? {} : { via: said.via }) },
    findings: [
      ...probe.findings,
      ...otherSettings(probe, said),
      ...findings,
      ...otherPublishers(said, findings),
      ...(said.end === 'full' ? [full()] : []),
      ...(ended ? [targetEnded()] : []),
      ...(said.end === undefined && !ended && !wasStopped ? [cutShort()] : []),
      ...(wasStopped ? [stoppedEarly()] : []),
    ],
  };
}

/**
 * The target; where no Python runs in a container, its first process: who hears what it hears, a bridge of C++ too, needs no more than a
 * Python beside it. Throws what finding a target throws.
 */
async function listeningPlace(io: Io, flags: ClockFlags): Promise<FoundTarget> {
  try {
    return await resolveTarget(io, flags, COMMAND);
  } catch (error) {
    if (!(error instanceof ProfilerError) || error.finding.id !== 'container-no-python') throw error;
    const named = await namedContainer(io, flags, COMMAND);
    const pid = named === undefined ? undefined : pidOfContainer(named.container.pid, named.container.id);
    if (named === undefined || pid === undefined) throw error;
    const target = findTarget({ pid, selfPid: process.pid });
    return { ...named, target: { ...target, containerName: named.container.name } };
  }
}

/** The error of a container that was stopped or paused before the first message came. */
async function containerChanged({ engine, container }: FoundTarget): Promise<ProfilerError | undefined> {
  if (engine === undefined || container === undefined) return undefined;
  return changedError(await containerNow(engine, container), container);
}

const LOOK_MS = 20;
const LOOKS = 50;

/**
 * Whether the target is gone. What is cut short inside a container goes with that container's first process, and a moment before it.
 */
async function hasGone(target: Target, { end }: ClockProbeSaid): Promise<boolean> {
  if (target.elsewhere !== undefined) return end === undefined;
  for (let looks = end === undefined ? LOOKS : 1; sameProcess(target); looks -= 1) {
    if (looks <= 1) return false;
    await delay(LOOK_MS);
  }
  return true;
}

/** Throws as `clockFactor` does, and `interrupted` (130) where a signal came too early. */
function factorOf(
  { samples, endNs }: ClockProbeSaid,
  { wasStopped, ended }: { readonly wasStopped: boolean; readonly ended: boolean },
): ClockFactor {
  try {
    // The silence of a process that is gone is no simulation that stands still.
    return clockFactor(samples, endNs === undefined || ended ? {} : { endNs });
  } catch (error) {
    throw wasStopped ? interrupted(' too early', 'what was heard says too little') : error;
  }
}

function sourceOf(target: Target): string {
  const name = target.containerName ?? target.container;
  return `pid ${shownPid(target)} (${target.command.join(' ')})${name === undefined ? '' : ` · container ${name}`}`;
}

interface Listened {
  readonly said: ClockProbeSaid;
  /** What it printed on standard error. */
  readonly words: string;
  readonly exit: number | string;
  readonly wasStopped: boolean;
}

const MOST_WORDS = 10_000;

/** Runs the subscriber to its end; a signal ends it early, with what it has heard. */
function listened(io: Io, probe: ClockProbe, durationS: number): Promise<Listened> {
  return interruptible(io, async ({ signal, phase }) => {
    phase('Stopping; what was heard is kept.', () => 'the subscriber ends by itself.');
    io.err(`Listening to /clock for ${durationS} s …\n`);
    const reader = clockProbeReader();
    let words = '';
    let printed = '';
    const running = probe.start();
    running.stdout.setEncoding('utf8').on('data', (text: string) => {
      const before = reader.count();
      reader.push(text);
      // An engine that cannot start it says so here.
      if (before === 0) printed = (printed + text).slice(-MOST_WORDS);
      if (before === 0 && reader.count() > 0) io.err('The first message came.\n');
    });
    running.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-MOST_WORDS);
    });
    const overdue = setTimeout(running.kill, (durationS + PATIENCE_S) * 1000 + GRACE_MS);
    // Killed where it takes no notice, as before it has begun to listen.
    let insist: NodeJS.Timeout | undefined;
    const stop = (): void => {
      running.interrupt();
      insist = setTimeout(running.kill, GRACE_MS);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const exit = await running.exit;
    clearTimeout(overdue);
    clearTimeout(insist);
    if (words === '' && reader.said().via === undefined) words = printed.trim();
    if (exit !== 0 && words === '') words = `it ended with ${exit}`;
    return { said: reader.said(), words, exit, wasStopped: signal.aborted };
  });
}

/** The subscriber must hear as the target speaks. */
function otherSettings(probe: ClockProbe, said: ClockProbeSaid): readonly Finding[] {
  const different = differentSettings(probe, said);
  if (different.length === 0) return [];
  return [
    {
      level: 'warning',
      id: 'clock-settings-differ',
      what: `The subscriber does not have the target's settings: ${different.join('; ')}.`,
      why: 'It may have heard another simulation. The container sets what the target was started without.',
    },
  ];
}

function otherPublishers({ publishers = [] }: ClockProbeSaid, told: readonly Finding[]): readonly Finding[] {
  if (publishers.length < 2 || told.some(({ id }) => id === 'clock-several-publishers')) return [];
  return [
    {
      level: 'warning',
      id: 'clock-several-publishers',
      what: `${publishers.length} publishers of /clock are known: ${publishers.slice(0, 5).join(', ')}${publishers.length > 5 ? ', …' : ''}.`,
      why: 'Where more than one writes, simulated time jumps to and fro for whoever uses it.',
      fix: 'ros2 topic info /clock --verbose',
    },
  ];
}

function full(): Finding {
  return {
    level: 'note',
    id: 'clock-full',
    what: `Listening ended after ${MOST_MESSAGES} messages, before the time was over.`,
    why: 'More are not kept; the factor is of the time until then.',
  };
}

function targetEnded(): Finding {
  return {
    level: 'warning',
    id: 'target-ended',
    what: 'The process ended meanwhile: the factor is of the time up to there.',
    why: 'It was about to finish, crashed, or was ended.',
  };
}

function cutShort(): Finding {
  return {
    level: 'warning',
    id: 'clock-cut-short',
    what: 'The subscriber ended before its time was over, without a word.',
    why: 'Something killed it, such as a limit of memory. The factor is of the time until then.',
  };
}

function stoppedEarly(): Finding {
  return {
    level: 'note',
    id: 'clock-stopped-early',
    what: 'Listening was interrupted.',
    why: 'The factor is of the time until then.',
  };
}
