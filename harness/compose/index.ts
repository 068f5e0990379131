/**
 * compose: a docker-compose file as a topology.
 *
 *   importCompose(text, file) ─▶ {text, notes}      a topology file, and what it could not carry over, by line
 *
 * Taken: image, replicas, environment, command, ports, dependencies, limits, and health checks over HTTP. Variables have the
 * values given or their defaults; this machine's environment is not read. Not here: projects that run.
 */
export { type ImportedTopology, importCompose } from './import-compose.ts';
