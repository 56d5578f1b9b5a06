package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/embedding/library"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
	"github.com/alanbuscaglia/engram/internal/embedding/static"
)

// modelThreads is the most goroutines that one call of a model computes with: the rest of the machine is the person's.
const modelThreads = 4

// Model is an installed model.
type Model = library.Lock

// AddModel says which model to install.
type AddModel = library.AddInput

// Precision is how a model's weights are kept in memory.
type Precision = library.Precision

// Models is the models that are installed for a configuration. It has the methods of library.Library.
type Models struct{ library.Library }

// ModelsOf returns the models of a configuration.
func ModelsOf(c config.Config) Models {
	return Models{library.Library{Dir: c.Models(), Threads: min(modelThreads, runtime.GOMAXPROCS(0))}}
}

// Add copies a model from a folder and installs it (library.Library.Add).
func (m Models) Add(ctx context.Context, in AddModel) (Model, error) {
	in.Now = time.Now()
	return m.Library.Add(ctx, in)
}

// embeddersOf returns the embedding models that are configured: nil for none. One that is not instant is asked, beside
// the built-in one. A model that cannot be used answers every call with the reason, so that search says in Degraded why
// another found.
func embeddersOf(c config.Config) (beside, asked engram.Embedder) {
	switch c.EmbeddingModel {
	case config.NoModel:
		return nil, nil
	case config.BuiltIn, "":
		return static.New(), nil
	}
	var err error
	if s, ok, wrong := config.ServedOf(c.EmbeddingModel); ok {
		if err = wrong; err == nil {
			asked, err = servedEmbedder(c, s, prefix.Of(s.Model).With(prefixesOf(c)))
		}
	} else {
		models := ModelsOf(c)
		models.Prefixes = prefixesOf(c)
		asked, err = models.Embedder(c.EmbeddingModel)
	}
	if err != nil {
		asked = lost{c.EmbeddingModel, err}
	}
	return static.New(), asked
}

// prefixesOf returns what goes before texts by the settings, in place of what the embedding model is known to want.
func prefixesOf(c config.Config) prefix.Set {
	all := prefix.Set{}
	for role, text := range map[engram.Role]string{engram.RoleQuery: c.EmbeddingQueryPrefix, engram.RoleMemory: c.EmbeddingMemoryPrefix} {
		switch {
		case strings.EqualFold(text, config.NoModel):
			all[role] = ""
		case text != "":
			all[role] = text + " "
		}
	}
	return all
}

// rerankerOf returns the reranker that is configured: nil for none.
func rerankerOf(c config.Config) (r engram.Reranker) {
	if c.RerankModel == config.NoModel || c.RerankModel == "" {
		return nil
	}
	var err error
	if s, ok, wrong := config.ServedOf(c.RerankModel); ok {
		if err = wrong; err == nil {
			r, err = servedReranker(c, s)
		}
	} else {
		r, err = ModelsOf(c).Reranker(c.RerankModel)
	}
	if err != nil {
		return lost{c.RerankModel, err}
	}
	return r
}

// lost is a configured model that cannot be used, for a reason that calls return.
type lost struct {
	name string
	why  error
}

// Unusable is the reason.
func (l lost) Unusable() error { return l.err() }

func (l lost) err() error {
	return engram.Errorf(engram.CodeUnavailable, "the model %s cannot be used", l.name).WithHint("%s", engram.HintOf(l.why)).WithCause(l.why)
}

// Model has a fingerprint of its own: no vectors are of it.
func (l lost) Model() engram.Model {
	return engram.Model{Name: l.name, Fingerprint: fmt.Sprintf("%s@lost", l.name), Dimensions: 1, Related: 2, Duplicate: 2, Fusion: engram.FusionRank}
}

func (l lost) Embed(context.Context, []string, engram.Role) ([][]float32, error) { return nil, l.err() }
func (l lost) Name() string                                                      { return l.name }
func (l lost) Rerank(context.Context, string, []string) ([]float64, error)       { return nil, l.err() }

// closeModels closes those of models that have files open.
func closeModels(models ...any) error {
	var errs []error
	for _, m := range models {
		if c, ok := m.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
