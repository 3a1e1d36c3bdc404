import type { CostRow } from './table.js';

/** What the functions of MuJoCo Warp do that mark events (`@event_scope` in its sources), by the names of those. */
export const WARP_EVENTS: Readonly<Record<string, Pick<CostRow, 'meaning' | 'lever'>>> = {
  step: { meaning: 'a whole step of physics' },
  forward: { meaning: 'forward dynamics, from positions to accelerations' },
  fwd_position: { meaning: 'all that depends on positions' },
  fwd_velocity: { meaning: 'all that depends on velocities' },
  fwd_actuation: { meaning: 'forces of actuators' },
  fwd_acceleration: { meaning: 'accelerations without constraints' },
  fwd_kinematics: { meaning: 'poses of bodies, cameras, tendons' },
  collision: {
    meaning: 'finding contacts',
    lever: 'contype and conaffinity; primitive shapes in place of meshes',
  },
  nxn_broadphase: {
    meaning: 'every pair of geoms is looked at',
    lever: 'opt.broadphase SAP_SEGMENTED or SAP_TILE where there are many geoms',
  },
  sap_broadphase: { meaning: 'pairs of geoms by sweep and prune' },
  primitive_narrowphase: { meaning: 'contacts of primitive shapes' },
  convex_narrowphase: {
    meaning: 'contacts of convex shapes, by iterations',
    lever: 'primitive shapes; fewer opt.ccd_iterations',
  },
  sdf_narrowphase: { meaning: 'contacts of signed distance fields' },
  make_constraint: { meaning: 'rows of constraints', lever: 'fewer contacts; a smaller njmax' },
  solve: {
    meaning: 'the solver of constraints, with all its iterations',
    lever: 'fewer iterations and ls_iterations, fewer contacts',
  },
  crb: { meaning: 'the matrix of inertia' },
  factor_m: { meaning: 'factors of the matrix of inertia' },
  passive: { meaning: 'springs, dampers, gravity compensation, fluids' },
  rne: { meaning: 'Coriolis and centrifugal forces' },
  sensor_pos: { meaning: 'sensors of positions, rangefinders among them' },
  sensor_vel: { meaning: 'sensors of velocities' },
  sensor_acc: { meaning: 'sensors of accelerations and forces' },
  euler: { meaning: 'integration to the next state' },
  implicit: { meaning: 'integration to the next state' },
  rungekutta4: {
    meaning: 'RK4: three more evaluations of forward dynamics, and the integration',
    lever: 'integrator implicitfast: a quarter of the work',
  },
  render: { meaning: 'rendering of the cameras', lever: 'a smaller render_width and render_height' },
  refit_bvh: { meaning: 'the tree of shapes that rendering searches' },
};
