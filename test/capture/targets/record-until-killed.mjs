// Records with the compiled package until somebody ends this process; says when the sampler is at work.
import { record } from '../../../dist/capture/index.js';
import { openJournal } from '../../../dist/target/index.js';
import { direct, localRoute } from '../../../dist/target/routes/direct.js';

const request = JSON.parse(process.argv[2]);
const { target, sampler, native, realtime } = request;
const journal = openJournal(process.env, new Date().toISOString());
const priority = realtime.allowed ? realtime.argv : [];
const route = localRoute(direct, { target, pyspy: sampler, native, journal, priority }, []);
await record(
  { ...request, route },
  {
    signal: new AbortController().signal,
    onEvent: (event) => {
      if (event.kind === 'progress') process.stdout.write('sampling\n');
    },
  },
);
