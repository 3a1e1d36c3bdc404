import type { Rule, RulePack } from '../rule.js';

const LIBRARY = [
  'libController.so',
  'libController.dylib',
  'Controller.dll',
  'libCppController.so',
  'libCar.so',
  'libDriver.so',
];
const ROBOT = ['controller/{robot,supervisor}.py', 'vehicle/driver.py'];
/** The controller package of Webots: `lib/controller/python/controller/`. */
const SENSORS =
  'controller/{accelerometer,altimeter,compass,connector,distance_sensor,gps,gyro,inertial_unit,light_sensor,position_sensor,radar,receiver,sensor,touch_sensor}.py';

const MAIN = '<module> (my_controller.py:40);main (my_controller.py:20)';
const STEP = `${MAIN};Robot.step (controller/robot.py:233)`;
const LIB = '(libController.so)';

const RULES: readonly Rule[] = [
  {
    id: 'webots/step-line',
    bucket: 'io-wait',
    kind: 'simulator',
    match: {
      source: ['wb_robot_step*(', 'wb_driver_step*(', '_controller.Robot_step('],
    },
    leaf: true,
    blocks: 'wait',
    why: 'The controller waits for the process of the simulator: its physics, rendering and the other controllers, and real time where it runs at that pace. None of it is work of the controller.',
    remedy: {
      text: 'Look at the simulator instead: profile the webots process (perf), and read the speed that its window shows.',
      source: 'Webots Reference Manual, wb_robot_step',
      above: 0.1,
    },
    hits: [
      `${STEP} #return wb.wb_robot_step(time_step)`,
      `${MAIN};step (controller.py:900) #return _controller.Robot_step(self, duration)`,
    ],
    misses: [`${STEP} #time_step = int(self.basic_time_step)`, `${MAIN} #robot.step(dt)`],
  },
  {
    id: 'webots/step-unknown',
    bucket: 'io-wait',
    kind: 'simulator',
    match: { name: ['Robot.step', 'step', 'stepEnd', 'step_end'], file: ROBOT, sourceKnown: false },
    leaf: true,
    blocks: 'wait',
    why: 'As the leaf this function waits for the process of the simulator, but the text of the line is unknown.',
    hits: [STEP],
    misses: [`${STEP} #return wb.wb_robot_step(time_step)`, `${MAIN};step (my_package/robot.py:3)`],
  },
  {
    id: 'webots/native-step',
    bucket: 'io-wait',
    kind: 'simulator',
    match: {
      name: [
        'wb_robot_step',
        'wb_robot_step_end',
        'robot_step_end',
        'robot_read_data',
        'scheduler_read_data*',
        'wb_driver_step',
      ],
      module: LIBRARY,
    },
    blocks: 'wait',
    why: 'A controller in C or C++ reads from the socket or pipe of the simulator, which answers when its step is done.',
    hits: [`main (my_controller);wb_robot_step ${LIB};robot_read_data ${LIB};read (libc.so.6)`],
    misses: ['main (my_program);robot_read_data (libmine.so)'],
  },
  {
    id: 'webots/round-trip',
    bucket: 'io-wait',
    kind: 'supervisor',
    match: { name: ['wb_robot_flush_unlocked', 'robot_flush*'], module: LIBRARY },
    blocks: 'wait',
    why: 'A supervisor asks the simulator for a field or a node: one round trip for each.',
    remedy: {
      text: 'Keep nodes and fields that were fetched once, and track fields (enableSFTracking) instead of asking each step.',
      source: 'Webots Reference Manual, Supervisor',
      above: 0.05,
    },
    hits: [
      `main (supervisor);wb_supervisor_field_get_sf_vec3f ${LIB};wb_robot_flush_unlocked ${LIB};read (libc.so.6)`,
    ],
    misses: [`main (my_controller);wb_robot_step ${LIB}`],
  },
  {
    id: 'webots/supervisor',
    bucket: 'io-wait',
    kind: 'supervisor',
    match: { source: ['wb.wb_supervisor_*('] },
    leaf: true,
    blocks: 'wait',
    why: 'The line asks the simulator for a field or a node, mostly with one round trip.',
    hits: [
      `${MAIN};Field.getSFVec3f (controller/field.py:200) #return wb.wb_supervisor_field_get_sf_vec3f(self._ref)`,
    ],
    misses: [STEP],
  },
  {
    id: 'webots/camera',
    bucket: 'render',
    kind: 'read',
    match: { file: 'controller/{camera,range_finder,display}.py' },
    why: 'A picture is fetched, which Webots has drawn already, and turned into Python objects; getImageArray does that pixel by pixel.',
    remedy: {
      text: 'Use getImage with numpy.frombuffer instead of getImageArray.',
      source: 'Webots Reference Manual, Camera',
      above: 0.05,
    },
    hits: [`${MAIN};Camera.getImage (controller/camera.py:100)`],
    misses: [`${MAIN};getImage (my/camera_controller.py:3)`],
  },
  {
    id: 'webots/lidar',
    bucket: 'raycast',
    kind: 'read',
    match: { file: 'controller/{lidar,lidar_point}.py' },
    why: 'Ranges are fetched, which Webots has measured already, and turned into Python objects.',
    hits: [`${MAIN};Lidar.getRangeImage (controller/lidar.py:100)`],
    misses: [`${MAIN};getRangeImage (my/lidar_reader.py:3)`],
  },
  {
    id: 'webots/native-lidar',
    bucket: 'raycast',
    kind: 'read',
    match: { name: ['wb_lidar_*'], module: LIBRARY },
    why: 'Ranges are fetched, which Webots has measured already.',
    hits: [`main (my_controller);wb_lidar_get_range_image ${LIB}`],
    misses: [`main (my_controller);wb_robot_step ${LIB}`],
  },
  {
    id: 'webots/native-camera',
    bucket: 'render',
    kind: 'read',
    match: { name: ['wb_camera_*', 'wb_range_finder_*', 'wb_display_*'], module: LIBRARY },
    why: 'A picture is fetched, which Webots has drawn already.',
    hits: [`main (my_controller);wb_camera_get_image ${LIB}`],
    misses: [`main (my_controller);wb_lidar_get_range_image ${LIB}`],
  },
  {
    id: 'webots/sensor',
    bucket: 'plugin',
    kind: 'sensor',
    match: { file: SENSORS },
    why: 'A value that came with the last step is read.',
    hits: [`${MAIN};DistanceSensor.getValue (controller/distance_sensor.py:60)`],
    misses: [`${MAIN};getValue (my/distance.py:60)`],
  },
  {
    id: 'webots/actuator',
    bucket: 'plugin',
    kind: 'control',
    match: {
      file: ['controller/{motor,brake,led,pen,emitter,speaker,vacuum_gripper}.py', 'vehicle/{car,driver}.py'],
    },
    why: 'A command is set, to be sent with the next step.',
    hits: [`${MAIN};Motor.setVelocity (controller/motor.py:60)`],
    misses: [`${MAIN};setVelocity (my/wheels.py:60)`],
  },
  {
    id: 'webots/native-write',
    bucket: 'python',
    kind: 'request',
    match: {
      name: ['robot_step_begin', 'robot_write_request', 'wb_robot_step_begin', 'scheduler_send_request'],
      module: LIBRARY,
    },
    why: 'Commands of all devices are written into one request to the simulator.',
    hits: [`main (my_controller);wb_robot_step ${LIB};robot_step_begin ${LIB}`],
    misses: [`main (my_controller);wb_robot_step ${LIB}`],
  },
];

export const WEBOTS: RulePack = {
  id: 'webots',
  dated: '2026-11-30',
  title: 'Controllers of Webots: waiting for the simulator, round trips of supervisors, reading sensors',
  source: 'Webots R2025a (libController and its Python package)',
  tested: false,
  rules: RULES,
};
