"""Stand-in for the ROS 2 package of the same name."""
