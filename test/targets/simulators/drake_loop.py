"""A Drake loop: boxes that fall, a controller in Python, paced to a real-time rate. Runs until it is killed."""

import sys

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder, LeafSystem

BOXES = "".join(
    f'<model name="b{i}"><pose>{0.05 * i} 0 {0.3 + 0.25 * i} 0.1 0.2 0</pose><link name="l"><inertial><mass>1</mass>'
    '<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial><collision name="c"><geometry><box>'
    "<size>0.2 0.2 0.2</size></box></geometry></collision></link></model>"
    for i in range(8)
)
FLOOR = (
    '<model name="floor"><static>1</static><pose>0 0 -0.1 0 0 0</pose><link name="l"><collision name="c"><geometry>'
    "<box><size>9 9 0.2</size></box></geometry></collision></link></model>"
)
SDF = f'<sdf version="1.7"><world name="w">{FLOOR}{BOXES}</world></sdf>'


class Controller(LeafSystem):
    """A controller in Python, which Drake calls back each hundredth of a second."""

    def __init__(self):
        super().__init__()
        self.DeclareDiscreteState(1)
        self.DeclarePeriodicDiscreteUpdateEvent(0.01, 0.0, self.update)

    def update(self, context, state):
        total = 0.0
        for i in range(2000):
            total += i * 1e-9
        state.set_value([total])


def build():
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=0.001)
    Parser(plant).AddModelsFromString(SDF, "sdf")
    plant.Finalize()
    builder.AddSystem(Controller())
    return builder.Build()


def main():
    simulator = Simulator(build())
    simulator.set_target_realtime_rate(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
    simulator.Initialize()
    print("ready", flush=True)
    while True:
        simulator.AdvanceTo(simulator.get_context().get_time() + 0.1)


main()
