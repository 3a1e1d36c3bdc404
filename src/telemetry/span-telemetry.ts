import type { ProfiledDecorator, SpanRecording, TelemetrySnapshot, ThreadFigures } from './api.js';
import { COUNT } from './category.js';
import type { Category } from './category.js';
import { byCategory } from './figures.js';
import { notesOf } from './notes.js';
import type { Platform, Threads } from './platform.js';
import { profiled } from './profiled.js';
import { readCategory } from './reading.js';
import type { CategorySource, Reading } from './reading.js';
import { Recorder } from './recorder.js';
import type { Settings } from './settings.js';

/** What this thread writes, and what can be said of all threads. */
export class SpanTelemetry extends Recorder implements SpanRecording {
  readonly enabled = true;
  readonly settings: Settings;
  protected readonly remarks: string[] = [];
  protected readonly own: Category[];
  private readonly threads: Threads | undefined;

  constructor(settings: Settings, platform: Platform) {
    const own: Category[] = [];
    const { capacity, maxCategories, clock } = settings;
    const threads = platform.threads?.(settings.name, settings.endedThreads);
    super({
      capacity,
      maxCategories,
      clock,
      context: platform.context?.(),
      onCategory: (category) => {
        own.push(category);
        threads?.announce({ name: category.name, capacity, buffer: category.buffer });
      },
    });
    this.settings = settings;
    this.own = own;
    this.threads = threads;
  }

  profiled(category?: string): ProfiledDecorator {
    return (method, context) => {
      // What decorates with the older rules of TypeScript passes something else, and must find its method unharmed.
      if (typeof method !== 'function' || context?.kind !== 'method') return undefined as never;
      const { name } = context;
      return profiled(this, category ?? (typeof name === 'symbol' ? (name.description ?? '') : name), method);
    };
  }

  snapshot(): TelemetrySnapshot {
    const lives = this.lives();
    const categories = byCategory(lives.flatMap(({ readings }) => readings));
    const sources = lives.flatMap((life) => life.sources);
    return {
      name: this.settings.name,
      categories,
      threads: lives.map(({ label, hasEnded, readings }): ThreadFigures => ({
        thread: label,
        hasEnded,
        categories: byCategory(readings),
      })),
      notes: [...this.remarks, ...notesOf(categories, this.settings.maxCategories)],
      bytes: sources.reduce((total, { buffer }) => total + buffer.byteLength, 0),
    };
  }

  private lives(): readonly {
    readonly label: string;
    readonly hasEnded: boolean;
    readonly sources: readonly CategorySource[];
    readonly readings: readonly Reading[];
  }[] {
    const own = {
      label: this.threads?.label ?? 'main',
      hasEnded: false,
      categories: this.own.concat(this.spare.cells[COUNT] === 0 ? [] : this.spare),
    };
    return [own, ...(this.threads?.others() ?? [])].map(({ label, hasEnded, categories }) => ({
      label,
      hasEnded,
      sources: categories,
      readings: categories.map((source) => readCategory(source, hasEnded ? undefined : this.threads?.pause)),
    }));
  }
}
