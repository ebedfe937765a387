// Package client is the starter's side of a run on many machines: it connects to Temporal, starts
// or joins the workflow of a run, and mirrors its events, results and commits into the starter's
// own .autobuild and checkout. It is an engine of package session, so that everything else of a
// call is as on one machine.
package client

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"autobuild/internal/environ"
	"autobuild/internal/safefile"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"autobuild/temporal/codec"
)

// Address is where a server is looked for when TEMPORAL_ADDRESS is not set.
const Address = "127.0.0.1:7233"

// Options reads how to reach Temporal from an environment: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE,
// TEMPORAL_API_KEY, TEMPORAL_TLS and its files, and TEMPORAL_AUTOBUILD_KEY for the codec.
func Options(env environ.Environ) (client.Options, error) {
	o := client.Options{
		HostPort:  cmp.Or(env.Get("TEMPORAL_ADDRESS"), Address),
		Namespace: cmp.Or(env.Get("TEMPORAL_NAMESPACE"), client.DefaultNamespace),
		Logger:    quiet{},
	}
	if key := env.Get("TEMPORAL_AUTOBUILD_KEY"); key != "" {
		c, err := codec.New(key)
		if err != nil {
			return o, err
		}
		o.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), c)
	}
	if key := env.Get("TEMPORAL_API_KEY"); key != "" {
		o.Credentials = client.NewAPIKeyStaticCredentials(key)
	}
	cert, key := env.Get("TEMPORAL_TLS_CLIENT_CERT_PATH"), env.Get("TEMPORAL_TLS_CLIENT_KEY_PATH")
	ca, name := env.Get("TEMPORAL_TLS_SERVER_CA_CERT_PATH"), env.Get("TEMPORAL_TLS_SERVER_NAME")
	wanted := env.Get("TEMPORAL_TLS") == "true" || env.Get("TEMPORAL_TLS") == "1"
	if !wanted && cert == "" && ca == "" && name == "" && o.Credentials == nil {
		return o, nil
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: name}
	if (cert == "") != (key == "") {
		return o, errors.New("TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH " +
			"belong together; set both")
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return o, fmt.Errorf("the client certificate of TEMPORAL_TLS: %w", err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	if ca != "" {
		pem, err := safefile.ReadNamed(ca, 1<<20)
		if err != nil {
			return o, fmt.Errorf("TEMPORAL_TLS_SERVER_CA_CERT_PATH: %w", err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return o, fmt.Errorf("TEMPORAL_TLS_SERVER_CA_CERT_PATH: %s holds no certificate", ca)
		}
	}
	o.ConnectionOptions.TLS = t
	return o, nil
}

// quiet keeps the SDK's own log away: what a user has to know is in events and errors.
type quiet struct{}

// Debug drops a message.
func (quiet) Debug(string, ...any) {}

// Info drops a message.
func (quiet) Info(string, ...any) {}

// Warn drops a message.
func (quiet) Warn(string, ...any) {}

// Error drops a message.
func (quiet) Error(string, ...any) {}
