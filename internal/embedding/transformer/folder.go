package transformer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
	"github.com/alanbuscaglia/engram/internal/encoder"
)

// The files of a model that are read, and the most bytes of each that is read as a whole.
const (
	configFile    = "config.json"
	tokenizerFile = "tokenizer.json"
	weightsFile   = "model.safetensors"
	modulesFile   = "modules.json"
	poolingFile   = "1_Pooling/config.json"
	limitsFile    = "sentence_bert_config.json"
	promptsFile   = "config_sentence_transformers.json"

	maxConfig    = 1 << 20
	maxTokenizer = 128 << 20
	maxWeights   = 16 << 30
)

// PackFile has the weights in narrow form, made of those of the model.
const PackFile = "engram-w8.pack"

// Most returns the most bytes that a file of a model may have.
func Most(name string) int64 {
	switch name {
	case weightsFile:
		return maxWeights
	case tokenizerFile:
		return maxTokenizer
	}
	return maxConfig
}

func invalid(format string, args ...any) error {
	return engram.Errorf(engram.CodeInvalid, format, args...).
		WithHint("use a folder with the files of a BERT or XLM-RoBERTa model, as sentence-transformers writes them")
}

// A folder is the files of one model. Links that lead out of it are not followed.
type folder struct{ root *os.Root }

// openFolder opens a folder; CodeNotFound where it is missing.
func openFolder(name string) (folder, error) {
	root, err := os.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return folder{}, engram.Errorf(engram.CodeNotFound, "the model's folder %s does not exist", name)
	}
	if err != nil {
		return folder{}, invalid("the model's folder cannot be opened").(*engram.Error).WithCause(err)
	}
	return folder{root}, nil
}

// open opens a file that is there, is regular and has at most most bytes.
func (f folder) open(name string, most int64) (*os.File, int64, error) {
	info, err := f.root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, fmt.Errorf("%w: %w", fs.ErrNotExist, invalid("the model has no file %s", name))
	case err != nil:
		return nil, 0, invalid("the model's file %s cannot be read (%v)", name, err)
	case !info.Mode().IsRegular():
		return nil, 0, invalid("the model's file %s is not a regular file", name)
	case info.Size() > most:
		return nil, 0, invalid("the model's file %s has %d bytes, the limit is %d", name, info.Size(), most)
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, 0, invalid("the model's file %s cannot be read (%v)", name, err)
	}
	return file, info.Size(), nil
}

// read returns the content of a file.
func (f folder) read(name string, most int64) ([]byte, error) {
	file, size, err := f.open(name, most)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, size+1))
	if err != nil || int64(len(b)) != size {
		return nil, invalid("the model's file %s cannot be read (%d of %d bytes, %v)", name, len(b), size, err)
	}
	return b, nil
}

// optional decodes a file of JSON into v, and leaves v as it is where there is no such file.
func (f folder) optional(name string, v any) error {
	b, err := f.read(name, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		if bad := json.Unmarshal(b, v); bad != nil {
			err = invalid("the model's file %s is not what it should be (%v)", name, bad)
		}
	}
	return err
}

// checkModules refuses models with a part that is not computed here.
func (f folder) checkModules() error {
	var modules []struct{ Type string }
	if err := f.optional(modulesFile, &modules); err != nil {
		return err
	}
	for _, m := range modules {
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Transformer", "Pooling", "Normalize":
		default:
			return invalid("the model has a part of the kind %.60q, which is not supported", kind)
		}
	}
	return nil
}

// pooling returns how the model pools; "" where its files do not say.
func (f folder) pooling() (encoder.Pooling, error) {
	var modes map[string]any
	if err := f.optional(poolingFile, &modes); err != nil {
		return "", err
	}
	var on []string
	for name, value := range modes {
		if value == true && strings.HasPrefix(name, "pooling_mode_") {
			on = append(on, strings.TrimPrefix(name, "pooling_mode_"))
		}
	}
	switch {
	case modes == nil:
		return "", nil
	case len(on) == 1 && on[0] == "cls_token":
		return encoder.CLS, nil
	case len(on) == 1 && on[0] == "mean_tokens":
		return encoder.Mean, nil
	}
	return "", invalid("the model pools by %v, which is not supported; cls_token and mean_tokens are", on)
}

// limit returns the most tokens that the model was made for; 0 where its files do not say.
func (f folder) limit() (int, error) {
	var limits struct {
		Max int `json:"max_seq_length"`
	}
	if err := f.optional(limitsFile, &limits); err != nil {
		return 0, err
	}
	if limits.Max < 0 {
		return 0, invalid("the model's max_seq_length is %d", limits.Max)
	}
	return limits.Max, nil
}

// prefixes returns what the model wants before texts; nil where its files do not say.
func (f folder) prefixes() (prefix.Set, error) {
	var prompts prefix.Prompts
	if err := f.optional(promptsFile, &prompts); err != nil {
		return nil, err
	}
	set := prompts.Set()
	return set, set.Check()
}

// base is the last part of a folder's name, for people.
func base(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }
