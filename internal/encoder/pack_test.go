package encoder_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/encoder"
	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
	"github.com/alanbuscaglia/engram/internal/encoder/safetensors"
)

// packOf returns the pack of a model's weights.
func packOf(t testing.TB, m *encodertest.Model, source string) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := must(t, m, encoder.Options{Narrow: true}).WritePack(&file, source); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// A model that is opened with its pack computes what it computes without, to the last bit.
func TestAPackIsWhatTheWeightsAre(t *testing.T) {
	for _, shape := range []encodertest.Shape{encodertest.Tiny(), {Hidden: 48, Layers: 3, Heads: 4, Inner: 100, Positions: 60, XLMR: true}} {
		m := encodertest.New(shape, 5)
		plain := must(t, m, encoder.Options{Narrow: true})
		file := packOf(t, m, "weights")
		p, ok := encoder.ReadPack(file, plain.Config(), "weights")
		if !ok {
			t.Fatal("its own pack is refused")
		}
		inputs := sequences(m.Shape, 1, 7, 33, 40)
		for _, set := range kernel.Sets() {
			want, err := must(t, m, encoder.Options{Narrow: true, Kernels: set}).Embed(t.Context(), inputs, encoder.Mean)
			if err != nil {
				t.Fatal(err)
			}
			with := must(t, m, encoder.Options{Narrow: true, Checked: true, Pack: p, Kernels: set})
			got, err := with.Embed(t.Context(), inputs, encoder.Mean)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Errorf("%s: the vector of text %d differs", set.Name(), i)
				}
			}
			var again bytes.Buffer
			if err := with.WritePack(&again, "weights"); err != nil || !bytes.Equal(again.Bytes(), file) {
				t.Errorf("%s: its pack is another: %v", set.Name(), err)
			}
		}
	}
	if err := must(t, encodertest.New(encodertest.Tiny(), 5), encoder.Options{}).WritePack(&bytes.Buffer{}, "x"); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("wide weights: %v", err)
	}
}

func TestOtherAndDamagedPacksAreRefused(t *testing.T) {
	m := encodertest.New(encodertest.Tiny(), 5)
	config := must(t, m, encoder.Options{}).Config()
	file := packOf(t, m, "weights")
	taller := config
	taller.Layers++
	heads := config
	heads.Heads = 2
	for name, other := range map[string]func() bool{
		"other weights":         func() bool { _, ok := encoder.ReadPack(file, config, "others"); return ok },
		"another layer":         func() bool { _, ok := encoder.ReadPack(file, taller, "weights"); return ok },
		"another configuration": func() bool { _, ok := encoder.ReadPack(file, heads, "weights"); return ok },
		"nothing":               func() bool { _, ok := encoder.ReadPack(nil, config, "weights"); return ok },
		"cut off":               func() bool { _, ok := encoder.ReadPack(file[:len(file)-1], config, "weights"); return ok },
		"longer":                func() bool { _, ok := encoder.ReadPack(append(slices.Clone(file), 0), config, "weights"); return ok },
	} {
		if other() {
			t.Errorf("%s: taken", name)
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		damaged := slices.Clone(file)
		at := r.IntN(len(damaged))
		damaged[at] ^= byte(1 + r.IntN(255))
		if _, ok := encoder.ReadPack(damaged, config, "weights"); ok {
			t.Fatalf("with byte %d changed it is taken", at)
		}
	}
}

// Numbers that were checked before are not looked at again; those that are not finite show in what is computed.
func TestCheckedNumbersAreNotCheckedAgain(t *testing.T) {
	m := encodertest.New(encodertest.Tiny(), 5)
	file := slices.Clone(m.Files["model.safetensors"])
	copy(file[len(file)/2:], bytes.Repeat([]byte{0xff}, len(file)/2+1)) // NaN
	config, err := encoder.ReadConfig(m.Files["config.json"])
	if err != nil {
		t.Fatal(err)
	}
	weights, err := safetensors.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encoder.New(config, weights, encoder.Options{}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("unchecked: %v", err)
	}
	e, err := encoder.New(config, weights, encoder.Options{Checked: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), sequences(m.Shape, 20), encoder.Mean); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("computed with NaN: %v", err)
	}
}
