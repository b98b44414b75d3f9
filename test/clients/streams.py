# Detects and streams with the Python client of openapi-generator: lines, and CSV with a column and fields. The client prefers any media type with
# "json" in its name, so the type is always set.
#   streams.py FOLDER URL KEY, with the package openapi_client in FOLDER

import json
import sys

folder, url, key = sys.argv[1:]
sys.path.insert(0, folder)

from openapi_client import ApiClient, Configuration, DetectionApi  # noqa: E402

with ApiClient(Configuration(host=url, access_token=key)) as client:
    detection = DetectionApi(client)

    addresses = ["jane@gmail.com", "broken@"]
    results = [detection.detect_address(address, explain=True).data.actual_instance for address in addresses]
    assert [result.syntax_validation for result in results] == [True, False], results
    assert [results[0].normalized, results[1].explain.syntax_error.code] == ["jane@gmail.com", "domain_empty"], results

    # The client can't parse NDJSON by itself.
    stream = detection.stream_addresses_without_preload_content
    rows = stream("jane@gmail.com\njoe@mailinator.com\n", _content_type="text/plain")
    assert [json.loads(row)["disposable"] for row in rows.data.splitlines()] == [False, True], rows.data

    csv = "id;mail\n1;jane@gmail.com\n2;broken@\n"
    parameters = {"column": ["mail"], "fields": ["disposable", "fault"]}
    kind = {"_content_type": "text/csv", "_headers": {"Accept": "text/csv"}}
    answer = detection.stream_addresses(csv, **parameters, **kind)
    assert answer == "id;mail;disposable;fault\n1;jane@gmail.com;false;\n2;broken@;;domain_empty\n", answer

    lines = "jane@gmail.com\n" * 50_000
    answer = stream(lines, summary="row", _content_type="text/plain")
    last = answer.data.decode().splitlines()[-1]
    assert json.loads(last)["summary"]["rows"] == 50_000, last

print("streamed lines and CSV")
