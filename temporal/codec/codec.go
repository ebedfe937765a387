// Package codec encrypts the payloads of a run with AES-GCM, so that the server of Temporal and its
// UI see ciphertext alone. The key comes from the environment of starter and workers. It does not
// know what a payload means.
package codec

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"
)

const encoding = "binary/autobuild-aes-gcm"

// Codec encrypts payloads.
type Codec struct {
	seal cipher.AEAD
	id   string // of the key
}

// New makes a codec of a key: 64 hexadecimal digits, as openssl rand -hex 32 prints them.
func New(key string) (*Codec, error) {
	raw, err := hex.DecodeString(key)
	if err != nil || len(raw) != 32 {
		return nil, errors.New("TEMPORAL_AUTOBUILD_KEY is not a key; " +
			"make one with: openssl rand -hex 32")
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCM(block)
	sum := sha256.Sum256(raw)
	return &Codec{seal: seal, id: hex.EncodeToString(sum[:4])}, err
}

// Encode encrypts payloads.
func (c *Codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		raw, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		nonce := make([]byte, c.seal.NonceSize())
		_, _ = rand.Read(nonce) // never fails
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{"encoding": []byte(encoding), "key": []byte(c.id)},
			Data:     c.seal.Seal(nonce, nonce, raw, []byte(c.id)),
		}
	}
	return out, nil
}

// Decode decrypts payloads; those that are not encrypted stay as they are.
func (c *Codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if string(p.GetMetadata()["encoding"]) != encoding {
			out[i] = p
			continue
		}
		n := c.seal.NonceSize()
		if len(p.GetData()) < n {
			return nil, errors.New("an encrypted payload is cut short")
		}
		raw, err := c.seal.Open(nil, p.GetData()[:n], p.GetData()[n:], []byte(c.id))
		if err != nil {
			return nil, fmt.Errorf("a payload was encrypted with key %s, and "+
				"TEMPORAL_AUTOBUILD_KEY is key %s", p.GetMetadata()["key"], c.id)
		}
		out[i] = new(commonpb.Payload)
		if err = proto.Unmarshal(raw, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
