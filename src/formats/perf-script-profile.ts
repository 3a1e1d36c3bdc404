import { ProfileBuilder } from '../model/index.js';
import type { Origin, Profile } from '../model/index.js';
import type { Chunks } from './format.js';
import { countedEvent } from './perf-script-header.js';
import { PerfLines } from './perf-script-lines.js';
import type { PerfEvent } from './perf-script-event.js';
import { perfFindings, UNNAMED } from './perf-script-findings.js';
import { EventSamples } from './perf-script-samples.js';
import { peek, utf8Chunks } from './source-bytes.js';

/** Events that a clock or a counter of cycles raises: their samples are shares of CPU time. */
const CPU_TIME = new Set(['cpu-clock', 'task-clock', 'cycles', 'cpu-cycles', 'ref-cycles']);
/** Different events of which samples are kept apart; hostile text could name one a line. */
const MOST_EVENTS = 64;
/** Stands for all beyond those; it is no event, so it never counts. */
const OTHERS = '(others)';

/** Reads `perf script` text. One sample counts one: periods are left to those who read the events themselves. */
export async function readPerfScript(chunks: Chunks, origin: Origin): Promise<Profile> {
  const reader = new ProfileReader(origin);
  const lines = new PerfLines((event) => reader.take(event));
  for await (const chunk of utf8Chunks(await peek(chunks))) lines.feed(chunk);
  lines.end();
  return reader.build();
}

class ProfileReader {
  readonly #origin: Origin;
  readonly #events = new Map<string, EventSamples>();
  readonly #pids = new Set<number>();
  /** Takes the losses; the samples come from the builder of their event. */
  readonly #losses: ProfileBuilder;
  #lostSamples = 0;
  #lostDataLines = 0;
  #throttled = 0;
  #isCut = false;

  constructor(origin: Origin) {
    this.#origin = origin;
    this.#losses = new ProfileBuilder('samples', origin);
  }

  take(event: PerfEvent): void {
    switch (event.kind) {
      case 'sample':
        if (event.pid !== undefined && this.#pids.size < 2) this.#pids.add(event.pid);
        return this.#samplesOf(event.event).add(event);
      case 'noise':
        if (event.lostData) this.#lostDataLines += 1;
        return this.#losses.lostLine(event.lineNo, event.reason, event.text);
      case 'cut':
        this.#isCut = true;
        return this.#losses.lostLine(event.lineNo, 'input ends in the middle of a stack', event.text);
      case 'lost':
        this.#lostSamples += event.count;
        return this.#losses.lostSamples(event.count);
      case 'throttle':
        if (event.on) this.#throttled += 1;
        return undefined;
      case 'switch':
      case 'record':
        return undefined;
    }
  }

  build(): Profile {
    const main = this.#mainEvent();
    const facts = {
      main,
      others: [...this.#events.values()].filter((samples) => samples !== main),
      isCpuTime: main !== undefined && CPU_TIME.has(main.event),
      lostSamples: this.#lostSamples,
      lostDataLines: this.#lostDataLines,
      throttled: this.#throttled,
      isCut: this.#isCut,
    };
    // Processes tell threads apart where there are several.
    const builder = main?.settle(this.#pids.size > 1) ?? new ProfileBuilder('samples', this.#origin);
    builder.lost(this.#losses.build().lost);
    for (const finding of perfFindings(facts)) builder.finding(finding);
    return builder.build();
  }

  /** Samples by time before counts of anything else; of equals the most frequent, then the first. */
  #mainEvent(): EventSamples | undefined {
    return [...this.#events.values()].sort((a, b) => rank(b) - rank(a) || b.count - a.count)[0];
  }

  #samplesOf(event: string | undefined): EventSamples {
    const named = event === undefined ? UNNAMED : countedEvent(event);
    const name = this.#events.size >= MOST_EVENTS && !this.#events.has(named) ? OTHERS : named;
    const known = this.#events.get(name);
    if (known !== undefined) return known;
    const samples = new EventSamples(name, this.#origin);
    this.#events.set(name, samples);
    return samples;
  }
}

function rank({ event }: EventSamples): number {
  if (event === OTHERS) return -1;
  return CPU_TIME.has(event) ? 1 : 0;
}
