package ledger

import (
	"context"
	"database/sql"
	"path"
	"path/filepath"
	"strings"

	"bridle/hop"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// carriedVersion is the schema of the public reference implementation that this
// program carries over.
const carriedVersion = 2

// Adopt takes over a project of the public reference implementation: all its
// records become one transaction, in the order in which they were made, and its
// index is kept as hop.db.v2. Its refs stay as they are.
func Adopt(ctx context.Context, o Options) (err error) {
	unlock, err := o.lock(ctx, "carrying a project over")
	if err != nil {
		return err
	}
	defer unlock()
	path := o.indexPath()
	// Another process may have done it while this one waited.
	if version, err := versionOfIndex(ctx, path); err != nil || version != carriedVersion {
		return err
	}
	records, accepted, err := readCarried(ctx, path, o.Dir)
	if err != nil {
		return err
	}
	next := path + ".next"
	if err := removeIndex(next); err != nil {
		return err
	}
	if err := writeCarried(ctx, o, next, records, accepted); err != nil {
		return err
	}
	if err := durable.MoveFile(path, path+".v2"); err != nil {
		return err
	}
	return durable.MoveFile(next, path)
}

// writeCarried writes the transaction to git and to a new index.
func writeCarried(ctx context.Context, o Options, index string, records []Record, accepted hop.State) error {
	db, err := createIndex(ctx, index)
	if err != nil {
		return err
	}
	l := newLedger(o, db)
	defer l.Close()
	tx := &Tx{
		Reader: l.Reader, Objects: o.Git.NewBatch(), now: o.Clock.Now().UTC(),
		staged: map[string]*hop.State{}, records: records, accept: &accepted,
	}
	for _, r := range records {
		if r.State != nil {
			tx.Keep(git.OID(r.State.GitCommit))
		}
	}
	_, err = l.publish(ctx, "carry", tx)
	return err
}

// readCarried reads the other index into records.
func readCarried(ctx context.Context, path, dir string) ([]Record, hop.State, error) {
	db, err := openDatabase(path, "rw")
	if err != nil {
		return nil, hop.State{}, err
	}
	defer db.Close()
	c := carrier{ctx: ctx, db: db, dir: dir, states: map[string]*hop.State{}}
	c.tasks()
	c.parents()
	c.readStates()
	c.attempts()
	c.checks()
	c.sessions()
	var head string
	c.rows(`SELECT value FROM meta WHERE key = 'accepted_head'`, func(scan scanner) error { return scan(&head) })
	if c.err != nil {
		return nil, hop.State{}, fault.Newf(CodeIndexBroken, "the index %q of another Hop program cannot be carried over: %v", path, c.err).
			Because(c.err).WithHint("it is unchanged; the program that made it may tell more")
	}
	accepted := c.states[head]
	if accepted == nil {
		return nil, hop.State{}, fault.Newf(CodeIndexBroken, "the index %q of another Hop program has no accepted state", path)
	}
	return append(c.records, Record{Accepted: head}), *accepted, nil
}

// carrier reads the tables of the other index, in an order in which each record
// finds those that it names.
type carrier struct {
	ctx     context.Context
	db      *sql.DB
	dir     string
	records []Record
	edges   map[string][]hop.Parent
	states  map[string]*hop.State
	err     error
}

type scanner func(dest ...any) error

func (c *carrier) rows(query string, each func(scanner) error) {
	if c.err != nil {
		return
	}
	rows, err := c.db.QueryContext(c.ctx, query)
	if err != nil {
		c.err = err
		return
	}
	defer rows.Close()
	for rows.Next() && c.err == nil {
		c.err = each(rows.Scan)
	}
	if c.err == nil {
		c.err = rows.Err()
	}
}

func (c *carrier) tasks() {
	c.rows(`SELECT id, title, status, created_at FROM tasks ORDER BY id`, func(scan scanner) error {
		var t hop.Task
		var at string
		if err := scan(&t.ID, &t.Title, &t.Status, &at); err != nil {
			return err
		}
		var err error
		t.CreatedAt, err = parseTime(at)
		c.records = append(c.records, Record{Task: &t})
		return err
	})
}

func (c *carrier) parents() {
	c.edges = map[string][]hop.Parent{}
	c.rows(`SELECT state_id, parent_state_id, role, parent_order FROM state_parents ORDER BY state_id, parent_order`, func(scan scanner) error {
		var id string
		var p hop.Parent
		err := scan(&id, &p.StateID, &p.Role, &p.Order)
		c.edges[id] = append(c.edges[id], p)
		return err
	})
}

func (c *carrier) readStates() {
	const query = `SELECT id, kind, coalesce(task_id, ''), coalesce(attempt_id, ''), coalesce(canonical_anchor_id, ''),
		source_tree, git_commit, prompt, summary, agent, digest, created_at FROM states ORDER BY created_at, id`
	c.rows(query, func(scan scanner) error {
		var s hop.State
		var at string
		err := scan(&s.ID, &s.Kind, &s.TaskID, &s.AttemptID, &s.CanonicalAnchorID,
			&s.SourceTree, &s.GitCommit, &s.Prompt, &s.Summary, &s.Agent, &s.Digest, &at)
		if err != nil {
			return err
		}
		if s.CreatedAt, err = parseTime(at); err != nil {
			return err
		}
		s.Parents = c.edges[s.ID]
		if s.Digest != s.Sum() {
			return fault.Newf(CodeBadRecord, "state %q does not have the digest of its content", s.ID)
		}
		c.states[s.ID] = &s
		c.records = append(c.records, Record{State: &s})
		return nil
	})
}

func (c *carrier) attempts() {
	const query = `SELECT id, task_id, agent, workspace, base_state_id, coalesce(head_state_id, ''), status, created_at FROM attempts ORDER BY id`
	c.rows(query, func(scan scanner) error {
		var a hop.Attempt
		var at string
		if err := scan(&a.ID, &a.TaskID, &a.Agent, &a.Workspace, &a.BaseStateID, &a.HeadStateID, &a.Status, &at); err != nil {
			return err
		}
		// The other program wrote absolute paths; ours may be moved.
		a.Workspace = path.Join("workspaces", path.Base(filepath.ToSlash(strings.TrimRight(a.Workspace, "/"))))
		var err error
		a.CreatedAt, err = parseTime(at)
		c.records = append(c.records, Record{Attempt: &a})
		return err
	})
}

func (c *carrier) checks() {
	const query = `SELECT id, attempt_id, coalesce(state_id, ''), tree_hash, command_json, exit_code, output, created_at FROM checks ORDER BY id`
	c.rows(query, func(scan scanner) error {
		var k hop.Check
		var at, command string
		if err := scan(&k.ID, &k.AttemptID, &k.StateID, &k.TreeHash, &command, &k.ExitCode, &k.Output, &at); err != nil {
			return err
		}
		if err := canon.Decode([]byte(command), &k.Command, canon.Limits{MaxBytes: maxRecords}); err != nil {
			return err
		}
		k.Output = strings.ToValidUTF8(k.Output, "\uFFFD")
		var err error
		k.CreatedAt, err = parseTime(at)
		c.records = append(c.records, Record{Check: &k})
		return err
	})
}

func (c *carrier) sessions() {
	c.rows(`SELECT agent, session_id, head_state_id FROM agent_sessions ORDER BY agent, session_id`, func(scan scanner) error {
		var s Session
		if err := scan(&s.Agent, &s.ID, &s.State); err != nil {
			return err
		}
		state := c.states[s.State]
		if state == nil || state.AttemptID == "" {
			return nil
		}
		s.Attempt = state.AttemptID
		c.records = append(c.records, Record{Session: &s})
		return nil
	})
}
