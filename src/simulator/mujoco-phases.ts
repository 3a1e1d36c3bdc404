/** The phases that MuJoCo times: `mjtTimer` of its mjtype.h, `mjTIMERSTRING` of its engine, and what of its engine each one covers. */
export type Phase =
  | 'STEP'
  | 'FORWARD'
  | 'INVERSE'
  | 'POSITION'
  | 'VELOCITY'
  | 'ACTUATION'
  | 'CONSTRAINT'
  | 'ADVANCE'
  | 'POS_KINEMATICS'
  | 'POS_INERTIA'
  | 'POS_COLLISION'
  | 'POS_MAKE'
  | 'POS_PROJECT'
  | 'COL_BROAD'
  | 'COL_MID'
  | 'COL_NARROW';

export interface PhaseFacts {
  /** The phase whose time holds this one's. */
  readonly within?: Phase;
  /** As testspeed and the log write it at the top, and below the phase that holds it. */
  readonly names: readonly string[];
  /** As FlyGym's table writes it. */
  readonly label?: string;
  readonly meaning: string;
  readonly lever?: string;
}

/** In the order of their tree: each before what is within it. */
export const PHASES: Readonly<Record<Phase, PhaseFacts>> = {
  STEP: { names: ['step'], label: 'step (total)', meaning: 'a whole step of physics (mj_step)' },
  FORWARD: {
    within: 'STEP',
    names: ['forward'],
    label: 'forward dynamics',
    meaning: 'forward dynamics, from positions to accelerations',
  },
  POSITION: {
    within: 'FORWARD',
    names: ['position'],
    label: 'position',
    meaning: 'all that depends on positions: kinematics, inertia, collisions, constraints',
  },
  POS_KINEMATICS: {
    within: 'POSITION',
    names: ['pos_kinematics', 'kinematics'],
    label: 'kinematics',
    meaning: 'poses of bodies, tendons, transmissions',
    lever: 'fewer bodies: fuse static ones (<compiler fusestatic="true"/>)',
  },
  POS_INERTIA: {
    within: 'POSITION',
    names: ['pos_inertia', 'inertia'],
    label: 'inertia',
    meaning: 'the matrix of inertia and its factors',
    lever: 'fewer degrees of freedom, shorter chains of joints',
  },
  POS_COLLISION: {
    within: 'POSITION',
    names: ['pos_collision', 'collision'],
    label: 'collision',
    meaning: 'finding contacts',
    lever: 'contype and conaffinity, excludes; primitive shapes in place of meshes',
  },
  COL_BROAD: {
    within: 'POS_COLLISION',
    names: ['col_broadphase', 'broadphase'],
    label: 'broad-phase',
    meaning: 'which pairs of bodies may touch',
    lever: 'fewer geoms that can collide: contype and conaffinity',
  },
  COL_MID: {
    within: 'POS_COLLISION',
    names: ['col_midphase', 'midphase'],
    meaning: 'which pairs of geoms of two bodies may touch',
  },
  COL_NARROW: {
    within: 'POS_COLLISION',
    names: ['col_narrowphase', 'narrowphase'],
    label: 'narrow-phase',
    meaning: 'contacts of each pair of geoms',
    lever: 'boxes, capsules and spheres in place of meshes; fewer contacts of a pair',
  },
  POS_MAKE: {
    within: 'POSITION',
    names: ['pos_make', 'make'],
    label: 'make constraints',
    meaning: 'rows of constraints: contacts, limits, equalities',
    lever: 'fewer contacts, a smaller condim',
  },
  POS_PROJECT: {
    within: 'POSITION',
    names: ['pos_project', 'project'],
    label: 'project constraints',
    meaning:
      'inverse inertia in the space of constraints; next to nothing unless the solver is PGS or noslip is on',
    lever: 'solver Newton or CG, noslip_iterations 0',
  },
  VELOCITY: {
    within: 'FORWARD',
    names: ['velocity'],
    label: 'velocity',
    meaning: 'all that depends on velocities: passive forces, Coriolis forces',
  },
  ACTUATION: {
    within: 'FORWARD',
    names: ['actuation'],
    label: 'actuation',
    meaning: 'forces of actuators',
  },
  CONSTRAINT: {
    within: 'FORWARD',
    names: ['constraint'],
    label: 'constraint solve',
    meaning: 'the solver of constraints',
    lever: 'fewer contacts, a pyramidal cone, fewer iterations or a larger tolerance',
  },
  INVERSE: {
    within: 'STEP',
    names: ['inverse'],
    meaning: 'inverse dynamics: only a check that a model asks for (fwdinv)',
    lever: 'leave out <flag fwdinv="enable"/>',
  },
  ADVANCE: {
    within: 'STEP',
    names: ['advance'],
    label: 'integrate (advance)',
    meaning: 'integration to the next state, of all integrators but RK4',
    lever: 'Euler or implicitfast in place of implicit',
  },
};

export const PHASE_IDS = Object.keys(PHASES) as readonly Phase[];

/** Of a name as MuJoCo writes it, long or without what it stands below. */
export function phaseNamed(name: string): Phase | undefined {
  return PHASE_IDS.find((id) => PHASES[id].names.includes(name));
}

/** Of a row of any table of MuJoCo's phases, however its source spells it. */
export function phaseOfRow(name: string): Phase | undefined {
  return PHASE_IDS.find((id) => name === `mjTIMER_${id}`) ?? phaseNamed(name) ?? phaseLabelled(name);
}

/** Of a label of FlyGym's table. */
export function phaseLabelled(label: string): Phase | undefined {
  return PHASE_IDS.find((id) => PHASES[id].label === label);
}
