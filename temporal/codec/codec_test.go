package codec_test

import (
	"bytes"
	"strings"
	"testing"

	"go.temporal.io/sdk/converter"

	"autobuild/temporal/codec"
)

const key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// What is encrypted holds no word of the payload, and comes back as it was.
func TestCodec(t *testing.T) {
	c, err := codec.New(key)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := converter.GetDefaultDataConverter().ToPayloads(map[string]string{"phase": "walls"})
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := c.Encode(plain.GetPayloads())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed[0].GetData(), []byte("walls")) {
		t.Error("the payload can be read")
	}
	back, err := c.Decode(sealed)
	if err != nil || !bytes.Equal(back[0].GetData(), plain.GetPayloads()[0].GetData()) {
		t.Errorf("%v, %v", back, err)
	}
	same, err := c.Decode(plain.GetPayloads())
	if err != nil || same[0] != plain.GetPayloads()[0] {
		t.Errorf("a payload that is not encrypted: %v, %v", same, err)
	}
	other, err := codec.New(strings.Repeat("ab", 32))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = other.Decode(sealed); err == nil || !strings.Contains(err.Error(), "key") {
		t.Errorf("with another key: %v", err)
	}
	sealed[0].Data = sealed[0].GetData()[:5]
	if _, err = c.Decode(sealed); err == nil {
		t.Error("a payload that is cut short is decoded")
	}
}

// A key that is none is refused with the command that makes one.
func TestKey(t *testing.T) {
	for _, bad := range []string{"short", strings.Repeat("0", 63), strings.Repeat("g", 64)} {
		if _, err := codec.New(bad); err == nil || !strings.Contains(err.Error(), "openssl") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
