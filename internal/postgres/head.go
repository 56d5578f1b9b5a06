package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/secret"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// head is the row of a space in heads: the ends of all its numberings, as a transaction sees and raises them.
// They are written once, at the end of the transaction.
type head struct {
	device string
	version, clock, lastAt,
	memory, relation, prompt, project, session, seq, deferred, other int64
	indexes [2]index.State // of memories and of prompts
}

// headColumns are the columns of a head after device, in the order of numbers.
const headColumns = `version, clock, last_at, memory, relation, prompt, project, session, seq, deferred, other,
	changes, unsealed, unsealed_last, prompt_changes, prompt_unsealed, prompt_unsealed_last`

// numbers are the columns of h after device.
func (h *head) numbers() []*int64 {
	return []*int64{&h.version, &h.clock, &h.lastAt, &h.memory, &h.relation, &h.prompt, &h.project, &h.session, &h.seq, &h.deferred, &h.other,
		&h.indexes[0].Changes, &h.indexes[0].Unsealed, &h.indexes[0].Last, &h.indexes[1].Changes, &h.indexes[1].Unsealed, &h.indexes[1].Last}
}

// forUpdate is the lock that orders the writes of a space.
const forUpdate = " FOR UPDATE"

// readHead reads the head of the space; lock is "" or forUpdate. Not found: there is no such space.
func readHead(ctx context.Context, c *conn.Tx, lock string) (h head, err error) {
	into := []any{&h.device}
	for _, n := range h.numbers() {
		into = append(into, n)
	}
	found, err := c.Maybe(ctx, `SELECT device, `+headColumns+` FROM heads WHERE space = $space`+lock, nil, into...)
	if err == nil && !found {
		err = engram.Errorf(engram.CodeNotFound, "the space does not exist").WithHint("it may have been removed; open the store anew")
	}
	return h, err
}

// writeHead queues the head if the transaction wrote.
func (t *tx) writeHead(ctx context.Context) error {
	if !t.Wrote && t.head == t.begun {
		return nil
	}
	t.head.version++
	args := make([]any, 0, len(t.head.numbers()))
	for _, n := range t.head.numbers() {
		args = append(args, *n)
	}
	return t.Run(ctx, `UPDATE heads SET (`+headColumns+`) = ROW(?`+strings.Repeat(",?", len(args)-1)+`) WHERE space = $space`, args...)
}

// next returns the next number of a counter of the head; a given one, unless 0, is taken and counted.
func next(counter *int64, given int64) int64 {
	if given != 0 {
		*counter = max(*counter, given)
		return given
	}
	*counter++
	return *counter
}

// begun makes the space if it does not exist, with row 0 of projects and sessions, and returns the note of its index
// (lexicon.Current).
func (s *Store) begun(ctx context.Context) (note string, err error) {
	c, err := s.pool.Begin(ctx, s.space, s.beginWrite(ctx)...)
	if err != nil {
		return "", err
	}
	defer c.Rollback()
	const noteSQL = `SELECT '' FROM heads WHERE space = $space UNION ALL SELECT value FROM facts WHERE space = $space AND key = 'words'`
	notes, err := sqlrow.Column[string](ctx, c, noteSQL)
	if err != nil || len(notes) > 0 {
		return strings.Join(notes, ""), err
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	// Two processes may make it at once: the second waits for the first, and adds nothing.
	n, err := c.Exec(ctx, `INSERT INTO heads (space, device, `+headColumns+`) VALUES ($space, ?`+strings.Repeat(",0", len((&head{}).numbers()))+`) ON CONFLICT DO NOTHING`,
		hex.EncodeToString(id[:]))
	if err != nil || n == 0 {
		return lexicon.Current(), err
	}
	for _, query := range []string{
		`INSERT INTO projects (space, num, name, created_at) VALUES ($space, 0, '', 0)`,
		`INSERT INTO sessions (space, num, id, project, started_at, active_at) VALUES ($space, 0, '', 0, 0, 0)`,
	} {
		if err := c.Run(ctx, query); err != nil {
			return "", err
		}
	}
	if err := c.Run(ctx, `INSERT INTO facts (space, key, value) VALUES ($space, 'secret_rules', ?), ($space, 'words', ?)`, secret.Version, lexicon.Current()); err != nil {
		return "", err
	}
	_, err = c.Commit(ctx)
	return lexicon.Current(), err
}

// Head returns the newest own entry, and the greater of its clock and the greatest received one.
func (t *tx) Head(context.Context) (engram.Head, error) {
	return engram.Head{Device: t.head.device, Seq: t.head.seq, Clock: engram.Clock(max(t.head.lastAt, t.head.clock))}, nil
}

// SeeClock records a received clock if it is the greatest so far.
func (t *tx) SeeClock(_ context.Context, c engram.Clock) error {
	if int64(c) > max(t.head.lastAt, t.head.clock) {
		t.head.clock = int64(c)
	}
	return nil
}
