-- Who may do what with the tables of 0006. Run by the set-up job only, never in a scratch schema.

GRANT INSERT, SELECT ON item_votes, item_corrections, item_vetoes, session_grants, session_grant_revocations, session_limits TO :projector;
GRANT SELECT ON item_votes, item_corrections, item_vetoes, session_grants, session_grant_revocations, session_limits TO :rebuilder, :reader;
