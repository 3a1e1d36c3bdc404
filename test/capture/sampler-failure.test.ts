import { describe, expect, it } from 'vitest';
import { samplerFailure } from '../../src/capture/sampler-failure.js';
import { requestFor } from './live.js';

describe('a sampler without samples', () => {
  it.each(['engine-gone', 'engine-unreachable'])('may have lost its engine: %s', (exit) => {
    const request = requestFor(process.pid);
    const route = { ...request.route, engine: 'unix:///x.sock' };
    expect(samplerFailure({ ...request, route }, '', exit).finding).toMatchObject({
      id: 'engine-gone',
      what: 'The container engine at unix:///x.sock stopped answering while it was sampled.',
      fix: 'profiler cleanup',
    });
    expect(samplerFailure(request, '', exit).finding.what).toBe(
      'The container engine stopped answering while it was sampled.',
    );
  });

  it('may have been killed, which is nothing of an engine', () => {
    const { finding } = samplerFailure(requestFor(process.pid), '', 'SIGKILL');
    expect(finding.id).not.toBe('engine-gone');
  });
});
