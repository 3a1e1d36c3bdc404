import { describe, expect, it } from 'vitest';
import { tablesCsv, tablesJson, tablesText } from '../../src/report/index.js';
import { readTables } from '../../src/simulator/index.js';

const STYLE = { width: 80, color: false };
const LOG = [
  'per-plugin hook timing (avg \u00B5s/call):',
  '  Bridge                   post_step      120.50 \u00B5s',
  '  Bridge                   build       234000.00 \u00B5s',
  '  =evil                    pre_step        79.50 \u00B5s',
  'load-phase timing (totals, ms):',
  '  resolve_plugins              812.3',
  '  compile                     7654.4',
  '  setup_total                 9821.0',
].join('\n');

describe('the screen of tables', () => {
  it('has the dearest rows first, parts behind what they are a part of, and what rows mean', () => {
    expect(
      tablesText({ source: 'sim.log', tables: readTables(LOG), timestepS: 0.002 }, STYLE).split('\n'),
    ).toEqual([
      '  roqsim: hooks of plugins · sim.log, lines 1–4',
      "  200 µs in all for each step, 10.0 % of the step's budget of 2.00 ms, 100 ms",
      '  for each simulated second.',
      '  row     of         per step   share  budget    mean',
      '  Bridge  post_step    121 µs  60.3 %   6.0 %',
      '  =evil   pre_step    79.5 µs  39.8 %   4.0 %',
      '  Bridge  build                                234 ms',
      '  post_step: after every simulation step: sensors, publishing.',
      '  pre_step: before every simulation step: commands, controllers.',
      '  build: once for each instance, before the world is compiled.',
      '  Note: mj_step is not in this table: it is no hook of a plugin. What physics',
      '    takes is the difference of two runs of different length, or what a sampler',
      '    sees.',
      '    -> profiler rtf --runs SIM:WALL,SIM:WALL',
      '  Note: Means are over all calls, also those of a hook that does its work only',
      '    now and then. A lidar that casts its rays at every 50th step shows a',
      '    fiftieth of what that one step takes: single steps may overrun where the',
      '    mean looks small.',
      '',
      '  roqsim: start-up · sim.log, lines 5–8',
      '  10.6 s in all, 2.17 s in no row.',
      '  row               share   total',
      '  setup_total      92.4 %  9.82 s',
      '    compile        72.0 %  7.65 s',
      '  resolve_plugins   7.6 %  812 ms',
      '  setup_total: all of setup: every other row but resolve_plugins.',
      '  compile: MjSpec.compile(), with all meshes and textures (keep sim.dedup_assets',
      '    on; smaller meshes and textures).',
      '  resolve_plugins: entry points, plugin classes and the validation of every',
      '    plugin; before setup (validations that look for models are in here: cache',
      '    what they look up).',
      '',
    ]);
  });
});

it('has every row as CSV, in which no name is a formula', () => {
  expect(
    tablesCsv({ source: '-', tables: readTables(LOG) })
      .split('\r\n')
      .slice(0, 4),
  ).toEqual([
    'kind,row,parts_of,of,role,calls,per_step_us,total_us,self_us,mean_us,min_us,p50_us,p99_us,max_us,share',
    'roqsim-hooks,Bridge,,post_step,step,,120.5,,,120.5,,,,,0.6025',
    "roqsim-hooks,'=evil,,pre_step,step,,79.5,,,79.5,,,,,0.3975",
    'roqsim-hooks,Bridge,,build,once,,,,,234000,,,,,',
  ]);
});

it('has JSON with what is known alone', () => {
  const { kind, tables } = JSON.parse(tablesJson({ source: '-', tables: readTables(LOG) }));
  expect([kind, tables[1].rows.at(-1)]).toEqual([
    'tables',
    {
      name: 'resolve_plugins',
      path: [],
      role: 'once',
      totalUs: 812_300,
      share: 0.076392,
      meaning: 'entry points, plugin classes and the validation of every plugin; before setup',
      lever: 'validations that look for models are in here: cache what they look up',
    },
  ]);
});
