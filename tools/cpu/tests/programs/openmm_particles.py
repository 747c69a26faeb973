"""Compares OpenMM's CUDA platform on 64 particles, in single and double precision, with its Reference platform."""
import sys

import numpy as np
import openmm

side, count = 2.0, 64
random = np.random.default_rng(1)
grid = np.array(np.meshgrid(*[range(4)] * 3)).T.reshape(count, 3) * 0.5 + 0.02 * random.standard_normal((count, 3))
system, force = openmm.System(), openmm.NonbondedForce()
force.setNonbondedMethod(openmm.NonbondedForce.CutoffPeriodic)
force.setCutoffDistance(0.9)
system.setDefaultPeriodicBoxVectors(*(np.eye(3) * side))
for particle in range(count):
    system.addParticle(39.9)
    force.addParticle(0.1 * (-1) ** particle, 0.34, 0.99)
system.addForce(force)


def run(name, properties):
    """Returns the energy and the forces at the start, and the positions after 20 steps."""
    platform, integrator = openmm.Platform.getPlatformByName(name), openmm.VerletIntegrator(0.002)
    context = openmm.Context(system, integrator, platform, properties)
    context.setPositions(grid)
    context.setVelocitiesToTemperature(100, 3)
    state = context.getState(getEnergy=True, getForces=True)
    integrator.step(20)
    positions = context.getState(getPositions=True).getPositions(asNumpy=True)
    return state.getPotentialEnergy()._value, state.getForces(asNumpy=True)._value, positions._value


expected = run("Reference", {})
for precision, near in [("single", 1e-2), ("double", 1e-4)]:
    numbers = run("CUDA", {"Precision": precision})
    furthest = max(np.abs(a - b).max() for a, b in zip(expected, numbers))
    if furthest > near:
        sys.exit(f"Error: {precision} differs by {furthest}")
print("energies, forces and positions in single and double precision are equal")
