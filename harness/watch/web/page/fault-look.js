export const DASHES = ['', '7 3', '2 3', '10 3 2 3', '1 4', '14 4'];

export function inForceAt(fault, atNs) {
  return (
    fault.appliedNs !== undefined &&
    fault.appliedNs <= atNs &&
    (fault.liftedNs === undefined || atNs < fault.liftedNs)
  );
}

export function look(index) {
  return { color: `var(--series-${index % 8})`, dash: DASHES[index % DASHES.length] };
}
