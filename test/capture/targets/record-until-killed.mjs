// Records with the compiled package until somebody ends this process; says when the sampler is at work.
import { record } from '../../../dist/capture/index.js';

await record(JSON.parse(process.argv[2]), {
  signal: new AbortController().signal,
  onEvent: (event) => {
    if (event.kind === 'progress') process.stdout.write('sampling\n');
  },
});
