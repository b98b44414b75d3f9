# Uses the generated Python client: detects, creates a webhook, reads its secret, changes and deletes it.
#   python.py FOLDER URL KEY, with the client in FOLDER/client

import sys

folder, url, key = sys.argv[1:]
sys.path.insert(0, folder)

from client import AuthenticatedClient  # noqa: E402
from client.api.channels import create_channel, delete_channel, get_channel, list_channels, update_channel  # noqa: E402
from client.api.detection import detect_address, detect_addresses, detect_domain  # noqa: E402
from client.models import ChannelChange, ChannelConfig, ChannelCreation, ChannelCreationType  # noqa: E402
from client.models import DetectionBatch, InvalidDetection, ValidDetection  # noqa: E402

with AuthenticatedClient(base_url=url, token=key) as client:
    one = detect_address.sync(client=client, email="jane+news@mailinator.com", explain=True)
    assert isinstance(one.data, ValidDetection) and one.data.disposable is True and one.data.normalized == "jane@mailinator.com", one
    assert one.data.explain.matches[0].entry == "mailinator.com", one

    many = detect_addresses.sync(client=client, body=DetectionBatch(emails=["jane@gmail.com", "broken@"], classes=True))
    assert [type(row) for row in many.data] == [ValidDetection, InvalidDetection], many
    assert [row.classes for row in many.data] == [["valid", "public", "unreserved"], ["invalid"]], many
    assert detect_domain.sync("gmail.com", client=client).data.public_domain is True

    wrong = detect_address.sync_detailed(client=client, email="")
    assert wrong.status_code == 400 and wrong.parsed.code == "INVALID_QUERY", wrong

    config = ChannelConfig(url="https://hooks.example.com/in", events=["lists.updated"])
    created = create_channel.sync(client=client, body=ChannelCreation(name="ops", type_=ChannelCreationType.WEBHOOK, config=config))
    assert created.config.secret.startswith("whsec_"), created
    assert get_channel.sync(created.id, client=client).config.secret == "[redacted]"
    changed = update_channel.sync(created.id, client=client, body=ChannelChange(name="operations"))
    assert changed.name == "operations" and changed.is_verified is False, changed
    assert len(list_channels.sync(client=client).data) == 1
    assert delete_channel.sync(created.id, client=client).id == created.id
    assert get_channel.sync_detailed(created.id, client=client).parsed.code == "NOT_FOUND"

print("detected, created a webhook, read its secret, changed and deleted it")
