import { AsyncLocalStorage } from 'node:async_hooks';
import type { Meter, Saved, SpanRecording, Telemetry } from './api.js';
import type { AsyncCall } from './async-call.js';
import { callAsync } from './async-calls.js';
import { showToInspector } from './inspected.js';
import { toOpenTelemetry } from './open-telemetry.js';
import { prometheusText } from './prometheus.js';
import { pyriteText } from './pyrite-report.js';
import { recentSpansOf } from './recent-spans.js';
import { reportText } from './report-text.js';
import { saveText } from './save-report.js';
import type { Settings } from './settings.js';
import { SpanTelemetry } from './span-telemetry.js';
import { threadsOf } from './worker-threads.js';

export class NodeTelemetry extends SpanTelemetry implements Telemetry {
  constructor(settings: Settings) {
    super(settings, {
      context: () => ({ storage: new AsyncLocalStorage<AsyncCall>(), call: callAsync }),
      threads: threadsOf,
    });
    showToInspector({
      kind: 'spans',
      name: settings.name,
      now: settings.clock,
      since: (ms) => ({ categories: recentSpansOf(this.own, ms) }),
    });
  }

  /** Said with every snapshot. */
  remark(line: string | undefined): void {
    if (line !== undefined && !this.remarks.includes(line)) this.remarks.push(line);
  }

  report(): string {
    return reportText(this.snapshot());
  }

  prometheus(): string {
    return prometheusText(this.snapshot());
  }

  toOpenTelemetry(meter: Meter): () => void {
    return toOpenTelemetry(this, meter);
  }

  pyriteReport(): string {
    return pyriteText(this.snapshot());
  }

  saveReport(path: string): Saved {
    return saveText(path, this.pyriteReport());
  }
}

export function disabledInNode(disabled: SpanRecording): Telemetry {
  return {
    ...disabled,
    report: () => `Telemetry ${disabled.snapshot().name} is disabled.\n`,
    prometheus: () => '',
    toOpenTelemetry: () => () => {},
    pyriteReport: () => '{}',
    saveReport: () => ({ isSaved: false, line: '[TELEMETRY] It is disabled: no report was written' }),
  };
}
