import { configDefaults, defineConfig } from 'vitest/config';

/** Beside the rooms that do nothing but think, these start nothing either: a process for each would take a second. */
const PURE_ELSEWHERE = [
  'test/capture/{accounting,cpython-findings,cpython-slice,exact-rate,findings,gil-meter,loop-slices,machine-cpu,node-backend,plan,py-spy-output,rate,sampler-failure,thread-ids}.test.ts',
  'test/cli/{answer-findings,capture-progress,clock-failure,competing-threads,corroborate-lines,gil-windows,keep-printed,kept-output,moment,program-name,real-time,step-judge,target-words,timeline,v8-wakes,view-profile,wall-shares}.test.ts',
  'test/target/cleanup/inspector-remedy.test.ts',
  'test/target/compose/{environment,origin,override-file,words,zero-x-file}.test.ts',
  'test/target/doctor/{kernel-checks,program-checks,target-checks}.test.ts',
  'test/target/gil/gil-waits.test.ts',
  'test/target/steps/{mujoco-memory,step-hits}.test.ts',
  'test/target/{elf,find-perf,pyspy-diagnosis,wrappers}.test.ts',
  'test/target/node/{node-obstacle,proc}.test.ts',
];

/** Tests of what starts nothing and leaves nothing: they may share a process, and run beside each other. */
const PURE = ['formats', 'model', 'page', 'recording', 'report', 'rules', 'simulator', 'stats']
  .map((room) => `test/${room}/**/*.test.ts`)
  .concat(PURE_ELSEWHERE);

/** Tests of the program on files, and of the library: each starts processes, none measures one, so two may run beside each other. */
const ON_FILES = [
  'test/cli/{classify,completion,corroborate,export-full-disk,hot,hot-tree,interrupt,interval,left-out-samples,lost-told,man-page,node-files,perf-script,phases,program,recording-answers,report,rtf,rtf-clock-log,rule-files,run-nsys,samples-file,states,steps-of-the-program,tables,task-markers,terminal,timed-gil,view,view-in,view-serve,view-server,view-way,waits,whole-file}.test.ts',
  'test/e2e/{errors,errors-input,errors-recording,export,package}.test.ts',
  'test/target/find-nsys.test.ts',
  'test/telemetry/**/*.test.ts',
];

/** Tests that make containers, each its own, and measure nothing; they need an engine for each file or one that all share. */
const IN_CONTAINERS = [
  'test/cli/{attach-override,override,override-restore}.test.ts',
  'test/docker/daemon.test.ts',
  'test/target/compose/{cases,plan,restore,v1}.test.ts',
  'test/target/docker/*.test.ts',
  'test/target/routes/{choose-route,elsewhere,inner-file}.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/scratch.ts'],
    // Real samplers and real simulations: a generous limit, since nothing here asserts a duration.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    projects: [
      {
        extends: true,
        test: { name: 'pure', include: PURE, isolate: false, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { name: 'files', include: ON_FILES, maxWorkers: 2, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: {
          name: 'containers',
          include: IN_CONTAINERS,
          maxWorkers: process.env['PROFILER_TEST_SHARE_ENGINE'] === '1' ? 2 : 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...PURE, ...ON_FILES, ...IN_CONTAINERS],
          // Two cores: tests that profile a live process must not compete with each other.
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
