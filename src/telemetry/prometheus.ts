/** The text format of Prometheus (0.0.4), named as `prom-client` users name theirs: seconds, and `_total` behind what only grows. */
import type { CategoryFigures, TelemetrySnapshot } from './api.js';

const PREFIX = 'sim_profiler_span';

export function prometheusText({ categories }: TelemetrySnapshot): string {
  const called = categories.filter(({ calls }) => calls > 0);
  if (called.length === 0) return '';
  return [
    `# HELP ${PREFIX}_duration_seconds Durations of spans, over the whole run.`,
    `# TYPE ${PREFIX}_duration_seconds summary`,
    ...called.flatMap((category) => {
      const label = labelOf(category.name);
      return [
        ...quantiles(category).map(
          ([q, ms]) => `${PREFIX}_duration_seconds{${label},quantile="${q}"} ${seconds(ms)}`,
        ),
        `${PREFIX}_duration_seconds_sum{${label}} ${seconds(category.sumMs)}`,
        `${PREFIX}_duration_seconds_count{${label}} ${category.calls}`,
      ];
    }),
    ...METRICS.flatMap(([name, type, help, value]) => [
      `# HELP ${PREFIX}_${name} ${help}`,
      `# TYPE ${PREFIX}_${name} ${type}`,
      ...called.map((category) => `${PREFIX}_${name}{${labelOf(category.name)}} ${seconds(value(category))}`),
    ]),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

const METRICS: readonly (readonly [string, string, string, (category: CategoryFigures) => number])[] = [
  [
    'own_seconds_total',
    'counter',
    'Time of spans without those inside, where that is known.',
    ({ ownMs }) => ownMs,
  ],
  [
    'busy_seconds_total',
    'counter',
    'Time in which at least one span was open, by thread.',
    ({ totalMs }) => totalMs,
  ],
  ['max_seconds', 'gauge', 'The longest span of the run.', ({ maxMs }) => maxMs],
  ['min_seconds', 'gauge', 'The shortest span of the run.', ({ minMs }) => minMs],
];

export function quantiles(category: CategoryFigures): readonly (readonly [string, number])[] {
  return [
    ['0.5', category.p50Ms],
    ['0.9', category.p90Ms],
    ['0.99', category.p99Ms],
    ['0.999', category.p999Ms],
  ];
}

function labelOf(name: string): string {
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `category="${escaped}"`;
}

/** Nanoseconds are as fine as any clock that we read. */
function seconds(ms: number): number {
  return Number((ms / 1000).toFixed(9));
}
