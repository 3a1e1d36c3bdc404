import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { StepProfiler } from '../../../src/telemetry/steps/index.js';
import { ManualHost } from './manual-host.js';

/** A function that may be called with `new`, as before there were classes. */
function Legacy(this: { made: boolean }): void {
  this.made = true;
}

class Actuator {
  stop(): string {
    return 'stopped';
  }
}

class Servo extends Actuator {
  position = 0;
  reads = 0;
  readonly host: ManualHost;
  constructor(host: ManualHost) {
    super();
    this.host = host;
  }
  get angle(): number {
    this.reads += 1;
    return this.position;
  }
  setPosition(position: number): number {
    this.host.pass(125);
    this.position = position;
    return position;
  }
  async move(position: number): Promise<number> {
    await Promise.resolve();
    this.host.pass(250);
    return this.setPosition(position);
  }
  fail(): never {
    throw new RangeError('beyond its end');
  }
  *path(): Generator<number> {
    yield 1;
  }
  _tune(): void {}
}

const shapeOf = (owner: object): object => Object.getOwnPropertyDescriptors(owner);

describe('methods of an object', () => {
  it('are timed, sync and async, and put back as they were', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host });
    const servo = new Servo(host);
    const [before, beforeAll] = [Reflect.ownKeys(servo), shapeOf(Servo.prototype)];
    const done = prof.instrument(servo, 'all', 'hal');
    expect(done.methods.toSorted()).toEqual(['fail', 'move', 'setPosition', 'stop']);
    expect(done.leftAlone).toEqual(['path']);
    await prof.step('a', async () => {
      expect(servo.setPosition(3)).toBe(3);
      expect(await servo.move(4)).toBe(4);
      expect(() => servo.fail()).toThrow(RangeError);
      expect(servo.stop()).toBe('stopped');
      expect([...servo.path()]).toEqual([1]);
      expect(servo.angle).toBe(4);
    });
    expect(servo.reads).toBe(1);
    expect([...prof.halStats]).toEqual([
      ['Servo.setPosition', { calls: 2, total: 0.25, max: 0.125 }],
      ['Servo.move', { calls: 1, total: 0.375, max: 0.375 }],
      ['Servo.fail', { calls: 1, total: 0, max: 0 }],
      ['Servo.stop', { calls: 1, total: 0, max: 0 }],
    ]);
    // The call inside a call is no time of its own.
    expect(prof.samples[0]?.hal).toBe(0.5);
    prof[Symbol.dispose]();
    expect(Reflect.ownKeys(servo)).toEqual(before);
    expect(shapeOf(Servo.prototype)).toEqual(beforeAll);
  });

  it('are those of all objects where it is a prototype', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host });
    const before = shapeOf(Servo.prototype);
    const { setPosition } = Servo.prototype;
    using done = prof.instrument(Servo.prototype, ['setPosition', 'stop'], 'acquire');
    expect(done.methods).toEqual(['setPosition', 'stop']);
    expect([Servo.prototype.setPosition.name, Servo.prototype.setPosition.length]).toEqual([
      'setPosition',
      1,
    ]);
    prof.step('a', () => new Servo(host).setPosition(1));
    expect(prof.samples[0]?.acquire).toBe(0.125);
    done.undo();
    expect(shapeOf(Servo.prototype)).toEqual(before);
    expect(Servo.prototype.setPosition).toBe(setPosition);
  });

  it('are left alone where they are getters, classes, frozen or not there', () => {
    const prof = new StepProfiler({ host: new ManualHost() });
    const owner = {
      Inner: Servo,
      get now(): number {
        throw new Error('called');
      },
      plain: 5,
      missing: undefined,
    };
    expect(prof.instrument(owner, ['Inner', 'now', 'plain', 'missing'], 'hal')).toMatchObject({
      methods: [],
      leftAlone: ['Inner', 'now', 'plain', 'missing'],
    });
    const frozen = Object.freeze({ go: () => 1 });
    expect(prof.instrument(frozen, ['go'], 'hal').leftAlone).toEqual(['go']);
    expect(frozen.go()).toBe(1);
    expect(prof.instrument(null as unknown as object, 'all').methods).toEqual([]);
  });

  it('hand on what they are given: this, arguments, new, and an object that is more than a promise', () => {
    const prof = new StepProfiler({ host: new ManualHost() });
    const query = {
      ran: 0,
      // oxlint-disable-next-line unicorn/no-thenable -- as query builders are
      then(take: (rows: number[]) => void): void {
        this.ran += 1;
        take([1]);
      },
      where(): unknown {
        return this;
      },
    };
    const db = {
      select(...columns: string[]): typeof query {
        expect(this).toBe(db);
        expect(columns).toEqual(['a', 'b']);
        return query;
      },
      Legacy: Legacy as unknown as new () => { made: boolean },
    };
    prof.instrument(db, ['select', 'Legacy'], 'dbRead');
    expect(prof.step('a', () => db.select('a', 'b'))).toBeInstanceOf(Promise);
    expect(prof.phase('dbRead', () => 1)).toBe(1);
    expect(db.select('a', 'b').where()).toBe(query);
    expect(new db.Legacy().made).toBe(true);
    prof[Symbol.dispose]();
    expect(query.ran).toBe(0);
  });

  it('are put back in the reverse order', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host });
    const object = { go: (): number => 1 };
    const { go } = object;
    prof.instrument(object, ['go'], 'hal');
    prof.instrument(object, ['go'], 'acquire');
    expect(object.go()).toBe(1);
    prof[Symbol.dispose]();
    expect(object.go).toBe(go);
    expect(host.warnings).toEqual([]);
  });

  it('stay where somebody else has put something over them, and then do nothing', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host });
    const bus = Object.assign(new EventEmitter(), { send: (): number => host.ms });
    prof.instrument(bus, ['send'], 'hal');
    const ours = bus.send;
    const theirs = (): number => ours() + 1;
    bus.send = theirs;
    expect(bus.send()).toBe(host.ms + 1);
    expect(prof.halStats.get('EventEmitter.send')?.calls).toBe(1);
    prof[Symbol.dispose]();
    expect(bus.send).toBe(theirs);
    expect(bus.send()).toBe(host.ms + 1);
    expect(prof.halStats.get('EventEmitter.send')?.calls).toBe(1);
    expect(host.warnings).toEqual([
      'Something else was put over EventEmitter.send: it stays there, and what is under it only passes calls on.',
    ]);
  });

  it('of two profilers are put back whichever ends first', () => {
    for (const isFirst of [true, false]) {
      for (const isOwn of [true, false]) {
        const host = new ManualHost();
        const object = isOwn
          ? { go: (): number => 1 }
          : (Object.create({ go: (): number => 1 }) as { go: () => number });
        const before = shapeOf(object);
        const one = new StepProfiler({ host });
        const other = new StepProfiler({ host });
        one.instrument(object, ['go'], 'hal');
        other.instrument(object, ['go'], 'hal');
        const [first, second] = isFirst ? [one, other] : [other, one];
        first[Symbol.dispose]();
        expect(object.go()).toBe(1);
        expect([first, second].map(({ halStats }) => halStats.size)).toEqual([0, 1]);
        second[Symbol.dispose]();
        expect(shapeOf(object)).toEqual(before);
        expect(host.warnings).toEqual([]);
      }
    }
  });
});
