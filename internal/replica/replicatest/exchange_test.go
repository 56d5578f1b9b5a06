package replicatest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

// open makes the places where peers exchange in this history.
func (h *history) open() { h.place = replicatest.NewPlace("the place in between") }

// meet hands something over between two peers, one way.
func (h *history) meet(ctx context.Context, i, j int) error {
	switch h.rng.IntN(8) {
	case 0, 1:
		return h.sendFile(ctx, i, j)
	case 2: // an old file, or one read before
		if len(h.files) == 0 {
			return nil
		}
		return h.readFile(ctx, h.files[h.rng.IntN(len(h.files))], j)
	case 3, 4:
		if err := h.push(ctx, h.peers[i], h.place.Open()); err != nil {
			return err
		}
		return h.pull(ctx, h.peers[j], h.place.Open(), &h.tally.Batches)
	case 5, 6:
		return h.mergeClones(ctx, i, j)
	}
	return h.drop(ctx)
}

func (h *history) sendFile(ctx context.Context, i, j int) error {
	for _, project := range h.projects {
		f, wrote, err := h.writeFile(ctx, i, project)
		if err != nil {
			return err
		}
		if !wrote {
			continue
		}
		h.files = append(h.files, f)
		if err := h.readFile(ctx, f, j); err != nil {
			return err
		}
	}
	return nil
}

// writeFile exports a project; wrote is false if there is nothing yet.
func (h *history) writeFile(ctx context.Context, i int, project string) (f file, wrote bool, err error) {
	var b bytes.Buffer
	_, err = h.peers[i].Export(ctx, &b, exchange.ExportInput{Project: project})
	if engram.CodeOf(err) == engram.CodeNotFound {
		return file{}, false, nil
	}
	if err != nil {
		return file{}, false, fmt.Errorf("%s exports: %w", h.peers[i].name, err)
	}
	return file{i, b.Bytes()}, true, nil
}

func (h *history) readFile(ctx context.Context, f file, j int) error {
	p := h.peers[j]
	res, err := p.Import(ctx, bytes.NewReader(f.text), exchange.ImportInput{})
	if err != nil {
		return fmt.Errorf("%s imports a file of %s: %w", p.name, h.peers[f.from].name, err)
	}
	h.tally.Files++
	h.active = h.active || res.Op != 0
	h.say("%s imports a file of %s: %+v", p.name, h.peers[f.from].name, res.All())
	return nil
}

func (h *history) push(ctx context.Context, p *peer, r engram.Remote) error {
	for _, project := range h.projects {
		if err := h.pushOne(ctx, p, r, project); err != nil {
			return err
		}
	}
	return nil
}

func (h *history) pushOne(ctx context.Context, p *peer, r engram.Remote, project string) error {
	res, err := p.Push(ctx, r, sync.PushInput{Project: project, By: p.name})
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil // nothing saved yet
	}
	if err != nil {
		return fmt.Errorf("%s pushes to %s: %w", p.name, r.Name(), err)
	}
	h.say("%s pushes %s to %s: %d memories, %d relations, %d erased in %d", p.name, project, r.Name(), res.Memories, res.Relations, res.Erased, len(res.Batches))
	h.active = h.active || len(res.Batches) > 0
	for _, left := range res.Left {
		if !strings.Contains(left.Reason, "personal") {
			return fmt.Errorf("%s keeps things to itself: %+v", p.name, res.Left)
		}
	}
	return nil
}

func (h *history) pull(ctx context.Context, p *peer, r engram.Remote, n *int) error {
	for _, project := range h.projects {
		if err := h.pullOne(ctx, p, r, project, n); err != nil {
			return err
		}
	}
	return nil
}

func (h *history) pullOne(ctx context.Context, p *peer, r engram.Remote, project string, n *int) error {
	res, err := p.Pull(ctx, r, sync.PullInput{Project: project})
	if err != nil {
		return fmt.Errorf("%s pulls from %s: %w", p.name, r.Name(), err)
	}
	*n++
	h.active = h.active || res.Op != 0
	h.say("%s pulls %s from %s: %+v, %d wait", p.name, project, r.Name(), res.Imported.All(), res.Deferred)
	for _, b := range res.Batches {
		if b.Op != 0 {
			p.pulls = append(p.pulls, b.Op)
		}
	}
	if len(res.Refused) > 0 {
		return fmt.Errorf("%s refuses %+v", p.name, res.Refused)
	}
	return nil
}

// chunks lists the chunks in p's clone.
func (h *history) chunks(p *peer) (engram.Remote, error) {
	if err := os.MkdirAll(p.clone, 0o755); err != nil {
		return nil, err
	}
	return gitchunks.Open(gitchunks.Options{Dir: p.clone, Project: h.project})
}

// mergeClones commits in one clone, merges that into the other, and imports it.
func (h *history) mergeClones(ctx context.Context, i, j int) error {
	from, to := h.peers[i], h.peers[j]
	r, err := h.chunks(from)
	if err != nil {
		return err
	}
	if err := h.push(ctx, from, r); err != nil {
		return err
	}
	if err := mergeFiles(from.clone, to.clone); err != nil {
		return err
	}
	if r, err = h.chunks(to); err != nil {
		return err
	}
	return h.pull(ctx, to, r, &h.tally.Chunks)
}

// mergeFiles copies the missing chunks, as git does without conflicts.
func mergeFiles(from, to string) error {
	source, target := filepath.Join(from, ".engram", "chunks"), filepath.Join(to, ".engram", "chunks")
	entries, err := os.ReadDir(source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(target, e.Name())); err == nil {
			continue // the same hash means the same content
		}
		text, err := os.ReadFile(filepath.Join(source, e.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(target, e.Name()), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// drop removes a batch forever, as a force-push does.
func (h *history) drop(ctx context.Context) error {
	all, err := h.place.Open().Batches(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	id := all[h.rng.IntN(len(all))].ID
	h.place.Drop(id)
	h.tally.Dropped++
	h.say("batch %s is dropped", id)
	return nil
}

// The ways in which all peers meet.
const (
	inBetween = iota
	inClones
	byFiles
)

// meetAll exchanges everything between all peers, one way, often enough that a move is announced,
// received at the old and the new place, and answered. A relation received before one of its
// memories is stored the second time.
func (h *history) meetAll(ctx context.Context, way int) error {
	for round := range 8 {
		h.active = false
		h.say("everybody meets, round %d, way %d", round+1, way)
		var err error
		switch order := h.rng.Perm(replicas); way {
		case inBetween:
			err = h.meetInBetween(ctx, order)
		case inClones:
			err = h.meetInClones(ctx, order)
		case byFiles:
			err = h.meetByFiles(ctx, order)
		}
		if err != nil || !h.active {
			return err
		}
	}
	return errors.New("they do not come to rest")
}

func (h *history) meetInBetween(ctx context.Context, order []int) error {
	for _, i := range order {
		if err := h.push(ctx, h.peers[i], h.place.Open()); err != nil {
			return err
		}
	}
	for _, i := range order {
		if err := h.pull(ctx, h.peers[i], h.place.Open(), &h.tally.Batches); err != nil {
			return err
		}
	}
	return nil
}

// meetInClones lets all peers commit and push, and then merge all branches.
func (h *history) meetInClones(ctx context.Context, order []int) error {
	hub := filepath.Join(h.dir, h.project+"-hub")
	for _, i := range order {
		p := h.peers[i]
		r, err := h.chunks(p)
		if err != nil {
			return err
		}
		if err := h.push(ctx, p, r); err != nil {
			return err
		}
		if err := mergeFiles(p.clone, hub); err != nil {
			return err
		}
	}
	for _, i := range order {
		if err := mergeFiles(hub, h.peers[i].clone); err != nil {
			return err
		}
		r, err := h.chunks(h.peers[i])
		if err != nil {
			return err
		}
		if err := h.pull(ctx, h.peers[i], r, &h.tally.Chunks); err != nil {
			return err
		}
	}
	return nil
}

// meetByFiles lets all peers write a file and read those of the others.
func (h *history) meetByFiles(ctx context.Context, order []int) error {
	var all []file
	for _, i := range order {
		for _, project := range h.projects {
			f, wrote, err := h.writeFile(ctx, i, project)
			if err != nil {
				return err
			}
			if wrote {
				all = append(all, f)
			}
		}
	}
	for _, i := range order {
		for _, f := range all {
			if f.from == i {
				continue
			}
			if err := h.readFile(ctx, f, i); err != nil {
				return err
			}
		}
	}
	return nil
}
