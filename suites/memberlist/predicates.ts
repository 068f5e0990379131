/** Conditions over events that the suite's steps wait for. */
import { registerPredicate } from '../../harness/index.ts';

/**
 * Every node has seen all others alive, and no node's health score is above 0. Scores move while nodes join, and a node
 * that starts an outage with a score would give its first suspicions a longer timeout than the document's nodes had. What a
 * node said before its process began anew is forgotten: while a bed is reset, those still to come suspect those that are gone.
 */
registerPredicate('memberlist.converged', (_parameters, nodes) => {
  const converged = new Set<string>();
  const unhealthy = new Set<string>();
  return ({ node, event, fields }) => {
    if (event === 'ready') {
      converged.delete(node);
      unhealthy.delete(node);
    }
    if (event === 'converged') converged.add(node);
    if (event === 'health.changed') {
      if (fields['score'] === 0) unhealthy.delete(node);
      else unhealthy.add(node);
    }
    return nodes.length > 0 && unhealthy.size === 0 && nodes.every((name) => converged.has(name));
  };
});
