// No script runs and nothing is fetched, whatever a node may have written into its name or its log.
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
