/** Settings that decide whom a ROS 2 node hears (docs.ros.org: domains, discovery, middlewares; the settings of each middleware). */
export const HEARING: readonly string[] = [
  'ROS_DOMAIN_ID',
  'RMW_IMPLEMENTATION',
  'ROS_LOCALHOST_ONLY',
  'ROS_AUTOMATIC_DISCOVERY_RANGE',
  'ROS_STATIC_PEERS',
  'ROS_DISCOVERY_SERVER',
  'ROS_SUPER_CLIENT',
  'CYCLONEDDS_URI',
  'FASTDDS_BUILTIN_TRANSPORTS',
  'FASTDDS_DEFAULT_PROFILES_FILE',
  'FASTRTPS_DEFAULT_PROFILES_FILE',
  'RMW_FASTRTPS_USE_QOS_FROM_XML',
  'SKIP_DEFAULT_XML',
  'ZENOH_CONFIG_OVERRIDE',
  'ZENOH_ROUTER_CONFIG_URI',
  'ZENOH_SESSION_CONFIG_URI',
  'ROS_SECURITY_ENABLE',
  'ROS_SECURITY_ENCLAVE_OVERRIDE',
  'ROS_SECURITY_KEYSTORE',
  'ROS_SECURITY_STRATEGY',
];

/** What a Python takes to find ROS at all. */
const FINDING: readonly string[] = [
  'AMENT_PREFIX_PATH',
  'HOME',
  'LD_LIBRARY_PATH',
  'PATH',
  'PYTHONHOME',
  'PYTHONPATH',
  'ROS_DISTRO',
  'ROS_PYTHON_VERSION',
  'ROS_VERSION',
];

/** All that is read of a target's environment. */
export const ROS_NAMES: readonly string[] = [...HEARING, ...FINDING];

/** The part of a process's environment with which another one finds ROS and hears the same; the rest may hold secrets, and is left alone. */
export function rosEnvironment(environment: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ROS_NAMES.flatMap((name) => {
      const value = environment.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Settings that a container may have, and the target was started without: the subscriber takes them off. */
export function notHeard(environment: ReadonlyMap<string, string>): readonly string[] {
  return HEARING.filter((name) => !environment.has(name));
}

/** Read before a program can take them off; empty is as good as none. */
const AT_START: readonly string[] = ['AMENT_PREFIX_PATH', 'LD_LIBRARY_PATH', 'PYTHONHOME', 'PYTHONPATH'];

/** The same of what a Python takes as it starts. */
export function emptied(environment: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries(AT_START.filter((name) => !environment.has(name)).map((name) => [name, '']));
}
