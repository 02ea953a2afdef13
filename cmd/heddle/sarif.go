package main

import (
	"bytes"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
)

// The parts of SARIF 2.1.0 (OASIS) that results of check or lint use. Numbers are pointers where 0 is meaningful.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
	// Invocations report what could not be linted, in a log of many files.
	Invocations []sarifInvocation `json:"invocations,omitempty"`
}

// A sarifInvocation is the outcome of the command.
type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

// A sarifNotification is the reason why the command could not lint a file.
type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	URI     string      `json:"informationUri"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Short   sarifText    `json:"shortDescription"`
	Full    *sarifText   `json:"fullDescription,omitempty"`
	HelpURI string       `json:"helpUri,omitempty"`
	Config  sarifDefault `json:"defaultConfiguration"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"` // error, warning or note: as severities are called
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
	Related   []sarifLocation `json:"relatedLocations,omitempty"`
	// Fingerprints identify a result from run to run.
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
	// Suppressions say that the result is suppressed, and why.
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

// A sarifSuppression is a comment, or a line of a file, that suppresses a result.
type sarifSuppression struct {
	Kind          string `json:"kind"` // inSource or external
	Justification string `json:"justification,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
	Message  *sarifText    `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
	Address  *sarifAddress `json:"address,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

// A sarifRegion is lines of a text, or bytes of a binary.
type sarifRegion struct {
	StartLine   int     `json:"startLine,omitempty"` // from 1, and so are columns
	StartColumn int     `json:"startColumn,omitempty"`
	ByteOffset  *uint64 `json:"byteOffset,omitempty"`
	ByteLength  int     `json:"byteLength,omitempty"`
}

type sarifAddress struct {
	Absolute uint64 `json:"absoluteAddress"`
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// home is the address of heddle's repository.
const home = "https://github.com/heddle-gpu/heddle"

// sarifOf returns a log of one run.
func sarifOf(rules []sarifRule, results []sarifResult) sarifLog {
	if results == nil {
		results = []sarifResult{}
	}
	for i := range results {
		results[i].RuleIndex = slices.IndexFunc(rules, func(r sarifRule) bool { return r.ID == results[i].RuleID })
	}
	return sarifLog{sarifSchema, "2.1.0", []sarifRun{{Tool: sarifToolOf(rules), ColumnKind: sarifColumns, Results: results}}}
}

func sarifToolOf(rules []sarifRule) sarifTool {
	return sarifTool{sarifDriver{"heddle", versionOf().Version, home, rules}}
}

const sarifColumns = "unicodeCodePoints"

// sarifBegin prints a log of one run up to its results, which follow separated by commas.
func sarifBegin(a *app, rules []sarifRule) error {
	text, err := oneLine(sarifLog{sarifSchema, "2.1.0", []sarifRun{{Tool: sarifToolOf(rules), ColumnKind: sarifColumns, Results: []sarifResult{}}}})
	if err != nil {
		return err
	}
	const rest = "]}]}" // closes the results, the run, the runs, the log
	_, err = a.out.Write(bytes.TrimSuffix(text, []byte(rest)))
	return err
}

// sarifEnd prints what follows the results.
func sarifEnd(a *app, v sarifInvocation) error {
	text, err := oneLine(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "\n],\"invocations\":[%s]}]}\n", text)
	return err
}

// artifactOf returns the URI of a file for SARIF, with all special characters escaped.
func artifactOf(path string) sarifArtifact {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
	}
	return sarifArtifact{u.String()}
}
