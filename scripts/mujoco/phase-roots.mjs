// Where each phase of a MuJoCo step begins, as mjTIMER_* times it (engine_forward.c), in the names of several releases; those that a
// library lacks are passed over. A walk from one root stops at every other one, and a root is always of its own phase.

export const PHASE_ROOTS = {
  kinematics:
    'mj_fwdKinematics mj_kinematics mj_kinematics1 mj_kinematics2 mj_comPos mj_camlight mj_flex mj_tendon mj_transmission',
  inertia: 'mj_makeM mj_crb mj_factorM mj_tendonArmature',
  // The table mjCOLLISIONFUNC, which distance sensors read as well: with collision, where nearly all models use it.
  collision:
    'mj_collision mjc_PlaneSphere mjc_PlaneCapsule mjc_PlaneCylinder mjc_PlaneBox mjc_PlaneConvex mjc_SphereSphere mjc_SphereCapsule mjc_SphereCylinder mjc_SphereBox mjc_CapsuleCapsule mjc_CapsuleBox mjc_BoxBox mjc_Convex mjc_ConvexHField mjc_HFieldSDF mjc_MeshSDF mjc_SDF',
  'make-constraint': 'mj_makeConstraint mj_island',
  'project-constraint': 'mj_projectConstraint',
  position: 'mj_fwdPosition',
  velocity: 'mj_fwdVelocity',
  actuation: 'mj_fwdActuation',
  acceleration: 'mj_fwdAcceleration',
  constraint: 'mj_fwdConstraint',
  advance:
    'mj_Euler mj_EulerSkip mj_implicit mj_implicitSkip mj_RungeKutta mj_advance advance advanceStart advanceFinish',
  // A sensor with a history is computed while the state is advanced: still a sensor.
  sensors:
    'mj_sensorPos mj_sensorVel mj_sensorAcc mj_energyPos mj_energyVel mj_computeSensor mj_computeSensorPos mj_computeSensorVel mj_computeSensorAcc mj_rnePostConstraint mj_subtreeVel',
  check: 'mj_checkPos mj_checkVel mj_checkAcc',
};

/** What a program also calls beside a step: a function that these reach as well tells no phase. */
export const OTHER_ROOTS = {
  ray: 'mj_ray mj_multiRay mj_rayMesh mj_rayHfield mj_rayHField mj_rayFlex mj_raySdf mju_rayGeom mju_rayFlex mju_raySkin mju_multiRayPrepare mju_singleRay',
  render: 'mjv_updateScene mjv_addGeoms mjv_updateSkin mjr_render mjr_uploadMesh mjr_makeContext',
};

/**
 * Only in between: the walk stops there, and what nothing else reaches is of no phase. `mj_ipc` steps some models by itself.
 * `mj_checkPos` calls `mj_resetData` once in a while.
 */
export const BETWEEN =
  'mj_step mj_step1 mj_step2 mj_forward mj_forwardSkip mj_inverse mj_inverseSkip mj_compareFwdInv mj_ipc mj_geomDistance mj_resetData';
